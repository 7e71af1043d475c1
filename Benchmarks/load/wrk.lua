-- For wrk: reports as one line of JSON; with BENCH_SESSIONS (a file of paths, one a line) it posts
-- the action in BENCH_BODY to each of them in turn, or gets them where there is none, instead of asking for the URL given.
-- BENCH_AUTHORIZATION is the value of the header Authorization.

local requests, index = {}, 0

function init(_)
    local file = os.getenv("BENCH_SESSIONS")
    if not file then return end
    local body = os.getenv("BENCH_BODY")
    local headers = { ["Authorization"] = os.getenv("BENCH_AUTHORIZATION") }
    if body then headers["Content-Type"] = "application/json" end
    for path in io.lines(file) do
        requests[#requests + 1] = wrk.format(body and "POST" or "GET", path, headers, body)
    end
    request = function()
        index = index % #requests + 1
        return requests[index]
    end
end

function done(summary, latency, _)
    local errors = summary.errors
    io.write(string.format(
        '{"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"maxMs":%.4f,'
            .. '"badStatus":%d,"socketErrors":%d,"timeouts":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
        latency:percentile(99) / 1e3, latency.max / 1e3,
        errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
