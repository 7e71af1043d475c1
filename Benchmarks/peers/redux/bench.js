// Measures Redux as Benchmarks/stores does Storehouse's stores: `node bench.js CASE [MILLISECONDS]` prints a line of JSON.
"use strict";

// Redux asks for NODE_ENV on each dispatch, and to read the real environment costs more than the dispatch. A bundler takes
// the question out; a copy makes it cheap.
process.env = { ...process.env };

const assert = require("node:assert");
const { applyMiddleware, combineReducers, createStore } = require("redux");
const { app, planner } = require("./app.js");
const { Stopwatch } = require("./stopwatch.js");

const increment = (store) => (times) => {
    for (let turn = 0; turn < times; turn++) store.dispatch({ type: "counter/increment", payload: { by: 1 } });
};

function dispatch(stopwatch) {
    const store = createStore(app);
    return { nanoseconds: stopwatch.nanoseconds(increment(store)) };
}

function middleware(stopwatch) {
    const seen = [0, 0, 0];
    let read = 0;
    const looking = (index) => () => (next) => (action) => {
        const result = next(action);
        seen[index] += 1;
        return result;
    };
    const store = createStore(app, applyMiddleware(looking(0), looking(1), looking(2)));
    store.subscribe(() => { read = store.getState().counter.count; });
    const nanoseconds = stopwatch.nanoseconds(increment(store));
    for (const each of [...seen, read]) assert.equal(each, store.getState().counter.count);
    return { nanoseconds };
}

function slices(stopwatch) {
    const names = [..."abcdefghij"];
    const slice = (name) => (state = { count: 0 }, action) =>
        action.type === name ? { count: state.count + action.payload.by } : state;
    const time = (names) => {
        const store = createStore(combineReducers(Object.fromEntries(names.map((name) => [name, slice(name)]))));
        return stopwatch.nanoseconds((times) => {
            for (let turn = 0; turn < times; turn++) store.dispatch({ type: "j", payload: { by: 1 } });
        });
    };
    const one = time(["j"]), ten = time(names);
    return { one, ten, slice: (ten - one) / 9 };
}

function tasks(stopwatch) {
    const titles = ["Water the plants", "Feed the cat"];
    const numbers = {};
    for (const size of [10, 1000, 100000]) {
        const entities = {}, ids = [];
        for (let id = 1; id <= size; id++) {
            entities[id] = { id, title: titles[0], isDone: false };
            ids.push(id);
        }
        const store = createStore(planner, { tasks: { entities, ids, favorited: [], nextID: size + 1 } });
        let seen = 0;
        store.subscribe(() => { seen += 1 + store.getState().trends.removed; });
        let random = 2463534242;
        numbers[`edit${size}`] = stopwatch.nanoseconds((times) => {
            for (let turn = 0; turn < times; turn++) {
                random ^= random << 13;
                random ^= random >>> 17;
                random ^= random << 5;
                const id = 1 + (random >>> 0) % size;
                store.dispatch({ type: "tasks/edit", payload: { id, title: titles[turn & 1] } });
            }
        });
        numbers[`reject${size}`] = stopwatch.nanoseconds((times) => {
            const payload = { id: 0, title: titles[1] };
            for (let turn = 0; turn < times; turn++) store.dispatch({ type: "tasks/edit", payload });
        });
        assert.ok(seen > 0);
    }
    numbers.editTimes = numbers.edit100000 / numbers.edit10;
    numbers.rejectTimes = numbers.reject100000 / numbers.reject10;
    return numbers;
}

const [name, milliseconds = "500"] = process.argv.slice(2);
const measure = { dispatch, middleware, slices, tasks }[name];
if (!measure) throw new Error("node bench.js dispatch|middleware|slices|tasks [MILLISECONDS]");
console.log(JSON.stringify(measure(new Stopwatch(Number(milliseconds)))));
