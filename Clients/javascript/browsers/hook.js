
    // The test asks the page to run a script, and takes its value.
    const until = condition =>
        new Promise(resolve => {
            const look = () => condition() && resolve(true)
            store.subscribe(look)
            store.onConnection(look)
            new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
            look()
        })
    const tab = new URL(location).searchParams.get("tab")
    for (let told = "ready"; ; ) {
        const next = await fetch("/next?tab=" + tab, { method: "POST", body: JSON.stringify(told ?? null) })
        const run = new Function("store", "until", `return (async () => ${await next.text()})()`)
        told = await run(store, until).catch(error => "error: " + error)
    }
