// Prints the events of a stream as a Go program reads them that takes every block for an event:
// with_go.go URL [LAST-EVENT-ID]
package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("GET", os.Args[1], nil)
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 2 {
		request.Header.Set("Last-Event-ID", os.Args[2])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		panic(fmt.Sprint(err, response))
	}
	event := map[string]string{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if name, value, isField := strings.Cut(lines.Text(), ":"); isField {
			event[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if event["event"] == "" || event["data"] == "" {
			panic(fmt.Sprint("a block without an event: ", event))
		}
		fmt.Printf("event: %s\nid: %s\ndata: %s\n\n", event["event"], event["id"], event["data"])
		event = map[string]string{}
	}
}
