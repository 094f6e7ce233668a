# Statewise in a container. This file has not been run where the project is
# developed: there is no container engine there.
#   docker build -t statewise .
#   docker run --rm -v "$PWD:/work" statewise solve problem.cnf
#   docker run --rm -p 8080:8080 statewise serve --bind 0.0.0.0 --port 8080
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates
COPY . /source
WORKDIR /source
RUN sh tools/setup.sh && make -j"$(nproc)" && make install-strip PREFIX=/usr DESTDIR=/staging

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
      libsqlite3-0 libjansson4 libyaml-0-2 zlib1g liblzma5 libmicrohttpd12 libcurl4 libstdc++6 gnuplot-nox && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /staging/usr /usr
WORKDIR /work
ENTRYPOINT ["statewise"]
