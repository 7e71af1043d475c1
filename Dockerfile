# Storehouse in a container. Other base images (a mirror, another release) come as build arguments.
#
#   docker build -t storehouse .
#   docker run -p 8080:8080 -e STOREHOUSE_UPSTREAMS_EMBEDDED=true storehouse
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUN_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends \
        libcurl4-openssl-dev libhiredis-dev libnghttp2-dev libsqlite3-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The tests, the examples, the fuzzers and the benchmarks are not built here, but the package names their folders.
COPY Package.swift ./
COPY Benchmarks Benchmarks
COPY Examples Examples
COPY Fuzz Fuzz
COPY Tests Tests
# The server embeds it.
COPY Clients Clients
COPY Sources Sources
# The binary keeps its symbols: without them a backtrace has no names.
RUN swift build -c release --static-swift-stdlib --product storehouse

FROM ${RUN_IMAGE}
# The binary is not linked with libcurl4, libssl3, libhiredis and libnghttp2, but loads them when it uses them.
RUN apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends \
        ca-certificates libcurl4 libhiredis0.14 libnghttp2-14 libsqlite3-0 libssl3 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/storehouse
COPY --from=build /src/.build/release/storehouse /usr/local/bin/storehouse
COPY config/production.json /etc/storehouse/production.json

# Nothing outside the volume is written to: the root file system may be read-only.
USER 10001:10001
WORKDIR /var/lib/storehouse
VOLUME /var/lib/storehouse
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["storehouse", "healthcheck", "--config", "/etc/storehouse/production.json"]
ENTRYPOINT ["storehouse"]
CMD ["serve", "--config", "/etc/storehouse/production.json"]
