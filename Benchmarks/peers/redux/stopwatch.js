// The same way of timing as Benchmarks/stores/Stopwatch.swift.
"use strict";

const { readFileSync } = require("node:fs");

const BATCHES = 5;

class Stopwatch {
    constructor(milliseconds) { this.batch = (milliseconds * 1e6) / BATCHES; }

    // Nanoseconds that one of many takes: the median of some batches, after a warm-up that also finds their size.
    nanoseconds(many) {
        const count = this.size(many), took = [];
        for (let batch = 0; batch < BATCHES; batch++) took.push(time(() => many(count)) / count);
        return took.sort((one, other) => one - other)[BATCHES >> 1];
    }

    // How often it can be done in a batch's time.
    size(many) {
        for (let count = 1; ; count *= 2) {
            const took = time(() => many(count));
            if (took >= this.batch / 2) return Math.max(1, Math.floor((count * this.batch) / took));
        }
    }
}

// Nanoseconds that this thread has been on a processor; what collects garbage or compiles beside it is not counted.
function now() { return Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[0]); }

function time(body) {
    const begin = now();
    body();
    return now() - begin;
}

exports.Stopwatch = Stopwatch;
