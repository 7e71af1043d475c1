// Uses the client that openapi-generator generates for Go.
//
//	with_go URL
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"

	"storehouse"
)

var ctx = context.Background()

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func expect(isTrue bool, values ...interface{}) {
	if !isTrue {
		log.Panic(values...)
	}
}

// as decodes a value that is any JSON, such as a state, as a type of its own.
func as(value interface{}, typed interface{}) {
	bytes, err := json.Marshal(value)
	check(err)
	check(json.Unmarshal(bytes, typed))
}

func create(client *storehouse.APIClient, kind string) *storehouse.CreatedSession {
	request := storehouse.SessionRequest{Store: &kind}
	session, _, err := client.SessionsAPI.CreateSession(ctx).SessionRequest(request).Execute()
	check(err)
	return session
}

// problem returns the problem document of an error.
func problem(err error) storehouse.Problem {
	failure, isFailure := err.(*storehouse.GenericOpenAPIError)
	expect(isFailure, err)
	found, isProblem := failure.Model().(storehouse.Problem)
	expect(isProblem, err)
	return found
}

func dispatchExamples(client *storehouse.APIClient) int {
	stores, _, err := client.ServerAPI.ReadStores(ctx).Execute()
	check(err)
	count := 0
	for _, store := range stores.Stores {
		session := create(client, store.Name)
		for _, action := range store.Actions {
			if action.Audience != "client" {
				continue
			}
			var request storehouse.DispatchRequest
			as(action.Example, &request)
			expect(reflect.ValueOf(request.Action.GetActualInstance()).Kind() == reflect.Ptr, action)
			_, _, err := client.ActionsAPI.Dispatch(ctx, session.Id).DispatchRequest(request).Execute()
			expect(err == nil || problem(err).Code == "action-rejected", err)
			count++
		}
	}
	return count
}

func readTypedState(client *storehouse.APIClient) {
	session := create(client, "app")
	increment := storehouse.NewCounterIncrement("counter/increment")
	increment.SetPayload(storehouse.CounterIncrementPayload{By: storehouse.PtrInt32(1_000_000)})
	add := storehouse.NewTasksAdd("tasks/add", *storehouse.NewTasksAddPayload("Buy tea"))
	batch := []storehouse.Action{
		storehouse.CounterIncrementAsAction(increment), storehouse.TasksAddAsAction(add),
	}
	request := storehouse.ArrayOfActionAsDispatchRequest(&batch)
	answer, _, err := client.ActionsAPI.Dispatch(ctx, session.Id).DispatchRequest(request).Execute()
	check(err)
	expect(answer.Revision == 2, answer)

	read, _, err := client.SessionsAPI.ReadState(ctx, session.Id).Execute()
	check(err)
	var state storehouse.AppState
	as(read.State, &state)
	expect(state.Counter.Count == int64(1_000_000), state)
	expect(state.Tasks.Entities["1"].Title == "Buy tea", state)

	_, err = client.SessionsAPI.DeleteSession(ctx, session.Id).Execute()
	check(err)
	_, _, err = client.SessionsAPI.ReadSession(ctx, session.Id).Execute()
	expect(problem(err).Code == "session-ended", err)
}

func main() {
	configuration := storehouse.NewConfiguration()
	configuration.Servers[0].URL = os.Args[1]
	client := storehouse.NewAPIClient(configuration)
	readTypedState(client)
	fmt.Printf("%d actions\n", dispatchExamples(client))
}
