// A small state server on net/http: the peer that Storehouse is measured against.
//
// It does the job of the benchmark's routes and no more: sessions of kind `app`, the two counter
// actions, the state in every answer, and server-sent events. It takes Storehouse's arguments
// (`serve --port N`) and names its port in the same line, so that it can also stand in for it.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	arguments := os.Args[1:]
	if len(arguments) > 0 && arguments[0] == "serve" {
		arguments = arguments[1:]
	}
	flags := flag.NewFlagSet("peer", flag.ExitOnError)
	host := flags.String("host", "127.0.0.1", "address to listen on")
	port := flags.Int("port", 8080, "port to listen on; 0 takes a free one")
	if err := flags.Parse(arguments); err != nil {
		log.Fatal(err)
	}

	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", *host, *port))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s\n", listener.Addr())

	server := &http.Server{
		Handler:           newRouter(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       60 * time.Second,
	}
	log.Fatal(server.Serve(listener))
}
