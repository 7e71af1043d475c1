import HTTP
import Stores

/// The page at `/` for browsers: it creates, shows and changes sessions with the server's own API.
///
/// It is one document that loads nothing else. Its Content-Security-Policy allows its one style and its one script, by a nonce
/// of this response, and requests to this server. Foreign markup can never become part of it.
enum InspectorPage {
    static func response() -> Response {
        let nonce = SessionID.random().description
        return Response(
            .ok, contentType: "text/html; charset=utf-8",
            fields: [
                .init("Content-Security-Policy", policy(nonce)), .init("X-Content-Type-Options", "nosniff"),
                .init("Referrer-Policy", "no-referrer"), .init("Cache-Control", "no-store"),
            ], body: Array(document(nonce).utf8))
    }

    private static func document(_ nonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        \(head)
        <style nonce="\(nonce)">\(style)</style>
        \(body)
        <script type="module" nonce="\(nonce)">\(library)\(application)</script>
        </html>

        """
    }

    private static func policy(_ nonce: String) -> String {
        [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
            "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }
}

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
        <form id="enter" hidden><label>Token <input id="token" type="password" size="26" placeholder="a JSON Web Token" required
        autocomplete="off" autocapitalize="off" spellcheck="false"></label> <button>Use</button></form>
        <p id="status" role="status"></p>
        </header>
        <noscript>This page needs JavaScript. The API does not.</noscript>
        <div id="problem" role="alert"></div>
        <section id="start">
        <h2>Create a session</h2>
        <p>A session is one store on the server: a state, the actions that change it, and everybody who watches it. Choose its
        kind, or open one by its id or its address above. This page uses the HTTP API that every client uses.</p>
        <ul id="offers"></ul>
        </section>
        <p id="about"></p>
        <main id="session" hidden>
        <section>
        <h2>Actions</h2>
        <p>Newest first. Choose one to see what it did; the arrow keys go on to the next.</p>
        <ol id="log"></ol>
        </section>
        <section>
        <h2>State <span id="revision"></span></h2>
        <button id="now" disabled>Now</button> <button id="fork">Fork from here</button>
        <h3>Changes</h3>
        <ul id="changes"></ul>
        <div id="tree"></div>
        <p id="end"><button id="delete" class="bad">Delete this session</button></p>
        </section>
        <section>
        <h2>Send</h2>
        <form id="send" autocomplete="off">
        <label>Action <select id="types" required></select></label>
        <p id="summary"></p>
        <details><summary>Schema of the payload</summary><pre id="schema"></pre></details>
        <div id="secrets"></div>
        <label>JSON, sent by Ctrl+Enter too
        <textarea id="action" rows="8" autocomplete="off" autocapitalize="off" spellcheck="false" required></textarea></label>
        <button>Send</button> <button value="dry">Dry run</button>
        </form>
        <div id="refusal" role="alert"></div>
        <div id="answer" role="status"></div>
        <h2>Effects</h2>
        <ul id="effects"></ul>
        <h2>Shares</h2>
        <p>A share shows a part of this session to others, without its id.</p>
        <form id="share" autocomplete="off">
        <label>Part <input id="part" size="16" placeholder="all, or a JSON Pointer" autocomplete="off" autocapitalize="off"
        spellcheck="false"></label>
        <label><input id="acting" type="checkbox"> may send actions</label>
        <button>Make a share</button> <button id="revoke" type="button" class="bad">Revoke all shares</button>
        </form>
        <div id="shared" role="status"></div>
        </section>
        </main>
        <footer><a href="stores">stores</a> · <a href="openapi.json">openapi.json</a> · <a href="metrics">metrics</a></footer>
        """#
}

extension InspectorPage {
    static let style = #"""

        :root { color-scheme: light dark; --back: #fbfaf9; --sheet: #fff; --text: #22201e; --faint: #66615c; --line: #d9d4cf;
            --accent: #7a2d63; --mark: #fff1b8; --good: #1d6b38; --bad: #a8201a; --value: #1c5a8a; }
        @media (prefers-color-scheme: dark) {
            :root { --back: #171615; --sheet: #201e1d; --text: #ebe7e3; --faint: #a39c95; --line: #3d3936;
                --accent: #e39ccb; --mark: #4d4214; --good: #7ccf95; --bad: #ff8f87; --value: #8fc7f2; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; padding: 0 1rem; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .6rem 0; }
        h1 { margin: 0; font-size: 1.15rem; color: var(--accent); }
        h2 { margin: 0 0 .4rem; font-size: 1rem; }
        h3 { margin: .8rem 0 0; font-size: .85rem; }
        a { color: var(--accent); }
        p, pre { margin: .3rem 0; }
        ul, ol { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
        main:not([hidden]) { display: grid; gap: 1rem; grid-template-columns: 1fr 1.4fr 1fr; }
        section { min-width: 0; padding: .8rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .5rem; }
        section + section h2:not(:first-child) { margin-top: 1.5rem; }
        input, select, textarea, button { max-width: 100%; padding: .3rem .55rem; border: 1px solid var(--faint);
            border-radius: .35rem; background: var(--sheet); color: inherit; font: inherit; }
        button:disabled { opacity: .5; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        textarea, code, pre, #id, #tree, #changes { font: 13px/1.5 ui-monospace, monospace; }
        textarea { display: block; width: 100%; margin: .2rem 0 .6rem; resize: vertical; }
        pre, #log, #tree, #changes { overflow: auto; max-height: 65vh; }
        #changes { max-height: 10rem; }
        h3, footer, section > p, #about, #summary, .note { color: var(--faint); font-size: .85rem; }
        footer { padding: 1rem 0; }
        .good, ins { color: var(--good); text-decoration: none; }
        .bad, del { color: var(--bad); }
        .value { color: var(--value); }
        #status:not(:empty)::before { content: "● "; }
        #log button { display: block; width: 100%; margin: 2px 0; border-color: transparent; text-align: left; }
        #log button:hover { border-color: var(--line); }
        #log [aria-current=true] { border-color: var(--accent); border-left-width: 4px; }
        #log code { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #log [aria-current=true] code { white-space: pre-wrap; overflow-wrap: anywhere; }
        #tree { margin-top: .6rem; overflow-wrap: anywhere; }
        #offers li { margin: .4rem 0; }
        #secrets label { display: block; margin: .4rem 0; }
        #end { margin-top: 1.5rem; text-align: right; }
        #tree details > :not(summary) { margin-left: 1.1rem; }
        .changed { background: var(--mark); }
        .changed .key::before { content: "● "; color: var(--accent); }
        @media (max-width: 62rem) { main:not([hidden]) { grid-template-columns: 100%; } #log, #tree { max-height: 45vh; } }

        """#
}
