extension InspectorPage {
    static let head = #"""
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="icon" href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'>
        <path fill='%23a14d85' d='M0 3 4 0l4 3v5H0zM2 5v1h4V5z'/></svg>">
        <title>Storehouse inspector</title>
        """#

    static let body = #"""
        <header>
        <h1>Storehouse</h1>
        <form id="begin"><label>Store <select id="kinds" required></select></label> <button>Create a session</button></form>
        <form id="find"><label>Session <input id="id" size="26" placeholder="an id, or an address with one" required
        autocomplete="off" autocapitalize="off" spellcheck="false"></label> <button>Open</button></form>
        <p id="status" role="status"></p>
        </header>
        <noscript>This page needs JavaScript. The API does not.</noscript>
        <div id="problem" role="alert"></div>
        <p id="about"></p>
        <main id="session" hidden>
        <section>
        <h2>Actions</h2>
        <p>Newest first. Choose one to see what it did; the arrow keys go on to the next.</p>
        <ol id="log"></ol>
        </section>
        <section>
        <h2>State <span id="revision"></span></h2>
        <button id="now" disabled>Now</button> <button id="fork">Fork from here</button> <button id="delete">Delete</button>
        <h3>Changes</h3>
        <ul id="changes"></ul>
        <div id="tree"></div>
        </section>
        <section>
        <h2>Send</h2>
        <form id="send" autocomplete="off">
        <label>Action <select id="types" required></select></label>
        <p id="summary"></p>
        <details><summary>Schema of the payload</summary><pre id="schema"></pre></details>
        <label>JSON, sent by Ctrl+Enter too
        <textarea id="action" rows="8" autocomplete="off" autocapitalize="off" spellcheck="false" required></textarea></label>
        <button>Send</button> <button value="dry">Dry run</button>
        </form>
        <div id="refusal" role="alert"></div>
        <div id="answer" role="status"></div>
        <h2>Effects</h2>
        <ul id="effects"></ul>
        </section>
        </main>
        <footer><a href="stores">stores</a> · <a href="openapi.json">openapi.json</a> · <a href="metrics">metrics</a></footer>
        """#
}
