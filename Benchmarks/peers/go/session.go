package main

import (
	"crypto/rand"
	"encoding/base64"
	"math"
	"strconv"
	"sync"
	"time"
)

// mailboxSize bounds what a slow reader can hold back; beyond it the oldest event is dropped,
// which a reader of whole states can bear.
const mailboxSize = 16

type session struct {
	id        string
	createdAt time.Time

	mutex       sync.Mutex // guards what follows
	state       appState
	revision    int64
	encoded     []byte // the state of this revision
	subscribers map[*subscriber]struct{}
}

type subscriber struct {
	mailbox chan []byte
}

type action struct {
	Type    string `json:"type"`
	Payload struct {
		By *int64 `json:"by"`
	} `json:"payload"`
}

// refusal is why an action was not committed.
type refusal struct {
	status int
	code   string
}

func (r *refusal) Error() string { return r.code }

func newSession() (*session, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	state := initialState()
	return &session{
		id:        base64.RawURLEncoding.EncodeToString(random[:]),
		createdAt: time.Now(),
		state:     state,
		encoded:   state.encoded(),
	}, nil
}

// dispatch commits one action, encodes the new state once, and hands the same event to every subscriber.
func (s *session) dispatch(a *action) (revision int64, state []byte, err error) {
	by := int64(1)
	if a.Payload.By != nil {
		by = *a.Payload.By
	}
	if by < 1 || by > 1_000_000 {
		return 0, nil, &refusal{422, "invalid-payload"}
	}

	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := s.reduce(a.Type, by); err != nil {
		return 0, nil, err
	}
	s.revision++
	s.encoded = s.state.encoded()
	if len(s.subscribers) > 0 {
		event := stateEvent(s.revision, s.encoded)
		for each := range s.subscribers {
			each.offer(event)
		}
	}
	return s.revision, s.encoded, nil
}

func (s *session) reduce(actionType string, by int64) error {
	count := &s.state.Counter.Count
	switch actionType {
	case "counter/increment":
		if *count > math.MaxInt64-by {
			return &refusal{409, "action-rejected"}
		}
		*count += by
	case "counter/decrement":
		if *count < math.MinInt64+by {
			return &refusal{409, "action-rejected"}
		}
		*count -= by
	default:
		return &refusal{422, "unknown-action"}
	}
	return nil
}

// subscribe puts the present state first in the mailbox, so that no commit is skipped or shown twice.
func (s *session) subscribe() *subscriber {
	added := &subscriber{mailbox: make(chan []byte, mailboxSize)}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	added.mailbox <- stateEvent(s.revision, s.encoded)
	if s.subscribers == nil {
		s.subscribers = map[*subscriber]struct{}{}
	}
	s.subscribers[added] = struct{}{}
	return added
}

func (s *session) unsubscribe(gone *subscriber) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.subscribers, gone)
}

func (s *session) current() (revision int64, state []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.revision, s.encoded
}

// offer never blocks: it is called under the session's lock, which makes it the mailbox's only writer.
func (s *subscriber) offer(event []byte) {
	for {
		select {
		case s.mailbox <- event:
			return
		default:
		}
		select {
		case <-s.mailbox:
		default:
		}
	}
}

func stateEvent(revision int64, state []byte) []byte {
	event := make([]byte, 0, len(state)+96)
	event = append(event, "event: state\nid: "...)
	event = strconv.AppendInt(event, revision, 10)
	event = append(event, "\ndata: "...)
	event = appendRevisionAndState(event, revision, state)
	return append(event, "}\n\n"...)
}

// appendRevisionAndState leaves the object open.
func appendRevisionAndState(to []byte, revision int64, state []byte) []byte {
	to = append(to, `{"revision":`...)
	to = strconv.AppendInt(to, revision, 10)
	to = append(to, `,"state":`...)
	return append(to, state...)
}
