package main

import "encoding/json"

// appState is the whole state of kind `app`, slice by slice, in the contract's order and names.
type appState struct {
	Counter  counter  `json:"counter"`
	User     user     `json:"user"`
	Betslip  betslip  `json:"betslip"`
	Animal   animal   `json:"animal"`
	Login    login    `json:"login"`
	Tasks    tasks    `json:"tasks"`
	Calendar calendar `json:"calendar"`
	Trends   trends   `json:"trends"`
	Settings settings `json:"settings"`
}

type counter struct {
	Count int64 `json:"count"`
}

type user struct {
	Balance int64 `json:"balance"`
}

type betslip struct {
	Selections []selection `json:"selections"`
	Placed     []bet       `json:"placed"`
	TotalStake int64       `json:"totalStake"`
}

type selection struct {
	ID              string `json:"id"`
	Event           string `json:"event"`
	Outcome         string `json:"outcome"`
	Odds            int64  `json:"odds"`
	Stake           int64  `json:"stake"`
	PotentialReturn int64  `json:"potentialReturn"`
}

type bet struct {
	Bet int64 `json:"bet"`
	selection
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type animal struct {
	CurrentAnimal string   `json:"currentAnimal"`
	IsLoading     bool     `json:"isLoading"`
	Error         *failure `json:"error"`
}

type login struct {
	Status              string   `json:"status"`
	HasValidCredentials bool     `json:"hasValidCredentials"`
	IsLoading           bool     `json:"isLoading"`
	IsAuthenticated     bool     `json:"isAuthenticated"`
	Error               *failure `json:"error"`
}

type tasks struct {
	Entities  map[string]task `json:"entities"`
	IDs       []int64         `json:"ids"`
	Favorited []int64         `json:"favorited"`
}

type task struct {
	ID     int64   `json:"id"`
	Title  string  `json:"title"`
	Due    *string `json:"due,omitempty"`
	IsDone bool    `json:"isDone"`
}

type calendar struct {
	SelectedDay *string `json:"selectedDay"`
}

type trends struct {
	Added     int64 `json:"added"`
	Completed int64 `json:"completed"`
	Removed   int64 `json:"removed"`
}

type settings struct {
	Theme         string `json:"theme"`
	Locale        string `json:"locale"`
	Notifications bool   `json:"notifications"`
}

func initialState() appState {
	return appState{
		Betslip:  betslip{Selections: []selection{}, Placed: []bet{}},
		Login:    login{Status: "idle"},
		Tasks:    tasks{Entities: map[string]task{}, IDs: []int64{}, Favorited: []int64{}},
		Settings: settings{Theme: "system", Locale: "en", Notifications: true},
	}
}

func (s *appState) encoded() []byte {
	bytes, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain structs always encode
	}
	return bytes
}
