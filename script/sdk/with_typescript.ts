// Uses the client that openapi-generator generates for TypeScript with axios.
//
//     node main.js URL

import { AxiosError, AxiosRequestConfig } from 'axios';
import {
    Action, ActionsApi, AppState, CounterIncrement, CreatedSession, Problem, ServerApi, SessionRequestStoreEnum, SessionsApi,
} from './storehouse';

// Debian's axios is older than this name, which the generated client needs.
declare module 'axios' {
    export type RawAxiosRequestConfig<Data = any> = AxiosRequestConfig<Data>;
}

// Debian's types of Node would be one package more for these two members.
declare const process: { argv: string[]; exit(code: number): never };

const url = process.argv[2];
const actions = new ActionsApi(undefined, url);
const sessions = new SessionsApi(undefined, url);

function expect(isTrue: boolean, value: unknown): asserts isTrue {
    if (!isTrue) throw new Error(JSON.stringify(value));
}

async function create(store: SessionRequestStoreEnum): Promise<CreatedSession> {
    return (await sessions.createSession({ store })).data;
}

/** The problem document with which the server refuses a request. */
async function problemOf(response: Promise<unknown>): Promise<Problem | undefined> {
    try {
        await response;
        return undefined;
    } catch (error) {
        return (error as AxiosError<Problem>).response?.data;
    }
}

async function dispatchExamples(): Promise<number> {
    let count = 0;
    for (const store of (await new ServerApi(undefined, url).readStores()).data.stores) {
        const session = await create(store.name as SessionRequestStoreEnum);
        for (const action of store.actions.filter((action) => action.audience === 'client')) {
            const problem = await problemOf(actions.dispatch(session.id, action.example as Action));
            expect(problem === undefined || problem.code === 'action-rejected', problem);
            count += 1;
        }
    }
    return count;
}

async function readTypedState(): Promise<void> {
    const session = await create('app');
    const increment: CounterIncrement = { type: 'counter/increment', payload: { by: 1_000_000 } };
    const batch: Action[] = [increment, { type: 'tasks/add', payload: { title: 'Buy tea' } }];
    const answer = (await actions.dispatch(session.id, batch)).data;
    expect(answer.revision === 2, answer);
    const state: AppState = (await sessions.readState(session.id)).data.state;
    expect(state.counter.count === 1_000_000, state);
    expect(state.tasks.entities['1'].title === 'Buy tea', state);
    await sessions.deleteSession(session.id);
    const ended = await problemOf(sessions.readSession(session.id));
    expect(ended?.code === 'session-ended', ended);
}

async function main(): Promise<void> {
    await readTypedState();
    console.log(`${await dispatchExamples()} actions`);
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
