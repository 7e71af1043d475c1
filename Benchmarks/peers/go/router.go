package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxBodyBytes = 64 << 10

// heartbeat is the silence after which a stream gets a comment; Storehouse's setting in seconds is taken for it.
var heartbeat = 15 * time.Second

func init() {
	if seconds, err := strconv.ParseFloat(os.Getenv("STOREHOUSE_STREAMS_HEARTBEAT"), 64); err == nil && seconds > 0 {
		heartbeat = time.Duration(seconds * float64(time.Second))
	}
}

// router finds the session of a request. Sessions are read far more often than made, so a
// read-write lock over one map serves all cores.
type router struct {
	mutex    sync.RWMutex // guards sessions
	sessions map[string]*session
}

func newRouter() *router {
	return &router{sessions: map[string]*session{}}
}

func (r *router) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	path := request.URL.Path
	switch {
	case path == "/healthz":
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("ok\n"))
	case path == "/sessions":
		r.create(w, request)
	case strings.HasPrefix(path, "/sessions/"):
		id, what, _ := strings.Cut(path[len("/sessions/"):], "/")
		r.mutex.RLock()
		session := r.sessions[id]
		r.mutex.RUnlock()
		if session == nil {
			problem(w, 404, "no-such-session")
			return
		}
		serveSession(session, what, w, request)
	default:
		problem(w, 404, "no-such-resource")
	}
}

func serveSession(s *session, what string, w http.ResponseWriter, request *http.Request) {
	switch {
	case what == "actions" && request.Method == http.MethodPost:
		post(s, w, request)
	case what == "events" && request.Method == http.MethodGet:
		stream(s, w, request)
	case what == "state" && request.Method == http.MethodGet:
		revision, state := s.current()
		answer(w, 200, revision, append(appendRevisionAndState(nil, revision, state), '}'))
	default:
		problem(w, 404, "no-such-resource")
	}
}

func (r *router) create(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		problem(w, 405, "method-not-allowed")
		return
	}
	s, err := newSession()
	if err != nil {
		problem(w, 500, "internal-error")
		return
	}
	r.mutex.Lock()
	r.sessions[s.id] = s
	r.mutex.Unlock()
	w.Header().Set("Location", "/sessions/"+s.id)
	body := fmt.Sprintf(`{"id":%q,"store":"app","revision":0,"createdAt":%q,"state":%s}`,
		s.id, s.createdAt.UTC().Format(time.RFC3339), s.encoded)
	answer(w, 201, 0, []byte(body))
}

func post(s *session, w http.ResponseWriter, request *http.Request) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, request.Body, maxBodyBytes))
	decoder.DisallowUnknownFields()
	var a action
	if err := decoder.Decode(&a); err != nil {
		problem(w, 400, "malformed-json")
		return
	}
	revision, state, err := s.dispatch(&a)
	var refused *refusal
	if errors.As(err, &refused) {
		problem(w, refused.status, refused.code)
		return
	}
	body := appendRevisionAndState(make([]byte, 0, len(state)+96), revision, state)
	answer(w, 200, revision, append(body, `,"outcome":"committed","effects":[]}`...))
}

func stream(s *session, w http.ResponseWriter, request *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		problem(w, 500, "internal-error")
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store, no-transform")
	w.Write([]byte("retry: 2000\n: hello\n\n"))

	subscriber := s.subscribe()
	defer s.unsubscribe(subscriber)
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	gone := request.Context().Done()
	for {
		select {
		case event := <-subscriber.mailbox:
			if _, err := w.Write(event); err != nil {
				return
			}
			ticker.Reset(heartbeat)
		case <-ticker.C:
			if _, err := w.Write([]byte(":\n\n")); err != nil {
				return
			}
		case <-gone:
			return
		}
		if len(subscriber.mailbox) == 0 { // several waiting events leave in one write
			flusher.Flush()
		}
	}
}

func answer(w http.ResponseWriter, status int, revision int64, body []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("ETag", `"`+strconv.FormatInt(revision, 10)+`"`)
	w.WriteHeader(status)
	w.Write(body)
}

func problem(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"about:blank","title":%q,"status":%d,"code":%q}`, http.StatusText(status), status, code)
}
