// Prints the events of a stream as node's eventsource reads them: with_eventsource.js URL [LAST-EVENT-ID]
const EventSource = require("eventsource");

const [url, id] = process.argv.slice(2);
const source = new EventSource(url, { headers: id ? { "Last-Event-ID": id } : {} });
for (const name of ["state", "patch", "closed"]) {
    source.addEventListener(name, (event) => {
        console.log(`event: ${name}\nid: ${event.lastEventId}\ndata: ${event.data}\n`);
        if (name === "closed") source.close();
    });
}
// A client that reconnects would hide a stream that ended too early.
source.onerror = () => process.exit(1);
