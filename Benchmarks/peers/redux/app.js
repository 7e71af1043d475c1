// The state, the actions and the rules of kind `app` in Redux: the same nine slices.
"use strict";

const { combineReducers } = require("redux");

// Without a spread, which would be the dearest part of the whole dispatch.
function counter(state = { count: 0 }, action) {
    switch (action.type) {
        case "counter/increment": return { count: state.count + action.payload.by };
        case "counter/decrement": return { count: state.count - action.payload.by };
        default: return state;
    }
}

function user(state = { balance: 0 }, action) {
    switch (action.type) {
        case "user/balanceIncrease": return { ...state, balance: state.balance + action.payload.value };
        default: return state;
    }
}

function betslip(state = { selections: [], placed: [] }, action) {
    switch (action.type) {
        case "betslip/addSelection":
            return { ...state, selections: [...state.selections, { ...action.payload, stake: 0 }] };
        case "betslip/removeSelection":
            return { ...state, selections: state.selections.filter((each) => each.id !== action.payload.id) };
        default: return state;
    }
}

function animal(state = { currentAnimal: "", isLoading: false, error: null }, action) {
    switch (action.type) {
        case "animal/fetchAnimal": return { ...state, currentAnimal: "Loading...", isLoading: true, error: null };
        case "animal/setCurrentAnimal": return { ...state, currentAnimal: action.payload.animal, isLoading: false };
        case "animal/ackError": return { ...state, error: null };
        default: return state;
    }
}

function login(state = { status: "idle", username: "", password: "", isLoading: false, error: null }, action) {
    switch (action.type) {
        case "login/enteringCredential": return { ...state, ...action.payload, status: "entering" };
        case "login/authenticate": return { ...state, status: "authenticating", isLoading: true };
        case "login/logout": return { ...state, status: "idle", isLoading: false };
        default: return state;
    }
}

function tasks(state = { entities: {}, ids: [], favorited: [], nextID: 1 }, action) {
    switch (action.type) {
        case "tasks/add": {
            const task = { id: state.nextID, ...action.payload, isDone: false };
            const entities = { ...state.entities, [task.id]: task };
            return { ...state, entities, ids: [...state.ids, task.id], nextID: state.nextID + 1 };
        }
        case "tasks/edit": {
            const task = state.entities[action.payload.id];
            if (task === undefined) return state;
            return { ...state, entities: { ...state.entities, [task.id]: { ...task, ...action.payload } } };
        }
        default: return state;
    }
}

function calendar(state = { selectedDay: null }, action) {
    switch (action.type) {
        case "calendar/selectDay": return { ...state, selectedDay: action.payload.day };
        default: return state;
    }
}

function trends(state = { added: 0, completed: 0, removed: 0 }, action) {
    switch (action.type) {
        case "tasks/add": return { ...state, added: state.added + 1 };
        case "tasks/edit": return action.payload.isDone ? { ...state, completed: state.completed + 1 } : state;
        case "tasks/remove": return { ...state, removed: state.removed + 1 };
        case "trends/reset": return { added: 0, completed: 0, removed: 0 };
        default: return state;
    }
}

function settings(state = { theme: "system", locale: "en", notifications: true }, action) {
    switch (action.type) {
        case "settings/update": return { ...state, ...action.payload };
        default: return state;
    }
}

exports.app = combineReducers({ counter, user, betslip, animal, login, tasks, calendar, trends, settings });
exports.planner = combineReducers({ tasks, calendar, trends, settings });
