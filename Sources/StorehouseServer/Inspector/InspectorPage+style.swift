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
        #tree details > :not(summary) { margin-left: 1.1rem; }
        .changed { background: var(--mark); }
        .changed .key::before { content: "● "; color: var(--accent); }
        @media (max-width: 62rem) { main:not([hidden]) { grid-template-columns: 100%; } #log, #tree { max-height: 45vh; } }

        """#
}
