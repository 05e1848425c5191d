/**
 * Every rate, lockout and allowance. What may be stored or held open is in `ceilings.ts`, as rows that SQL counts. The size of
 * a field or a file is where its format is.
 *
 * This file imports nothing, so that the configuration takes its defaults from here.
 */

/** Whose requests, guesses or messages count together. */
type Whose =
  | "key"
  | "person"
  | "network"
  | "account"
  | "login"
  | "channel"
  | "sender"
  | "conversation"
  | "task"
  | "schedule"
  | "project"
  | "MCP server"
  | "team";

export interface Limit {
  /** What is counted. */
  bounds: string;
  whose: Whose;
  most: number;
  /** Length of the window; none for what is counted at one moment. */
  seconds?: number;
  /** Overrides `most`. Where it may be 0, that is no limit. */
  variable?: string;
  /** Overrides the window, in the unit of its name. */
  windowVariable?: string;
  /** Where the number is agreed: the API's contract, or a page of `docs/decisions`. Without one, the number is free to change. */
  source?: string;
}

export interface Rate extends Limit {
  /** For a bucket, which holds `most` and refills at this rate; otherwise `seconds` is a sliding window. */
  perSecond?: number;
  perSecondVariable?: string;
  /** A rate without a variable is switched off together with the rate of this one. */
  offWith?: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Rates of calls. They are counted in memory: a limit of a minute is not worth a write per call. */
export const RATES = {
  key: {
    bounds: "requests with the key",
    whose: "key",
    most: 60,
    variable: "KEY_RATE_BURST",
    perSecond: 1,
    perSecondVariable: "KEY_RATE_PER_SECOND",
    source: "contract",
  },
  user: {
    bounds: "requests that count under no other rate",
    whose: "person",
    most: 100,
    seconds: MINUTE,
    variable: "USER_RATE_PER_MINUTE",
    source: "contract",
  },
  chat: {
    bounds: "messages to agents",
    whose: "person",
    most: 20,
    seconds: MINUTE,
    variable: "CHAT_RATE_PER_MINUTE",
    source: "contract",
  },
  move: {
    bounds: "moves of chats to another project",
    whose: "person",
    most: 30,
    seconds: MINUTE,
    offWith: "CHAT_RATE_PER_MINUTE",
  },
  command: {
    bounds: "commands over /api/agent/execute",
    whose: "person",
    most: 30,
    seconds: MINUTE,
    variable: "COMMAND_RATE_PER_MINUTE",
  },
  send: {
    bounds: "messages of the task's agent to people outside of the chat",
    whose: "task",
    most: 20,
    seconds: MINUTE,
  },
  address: {
    bounds: "requests of visitors who are not signed in",
    whose: "network",
    most: 120,
    perSecond: 2,
    offWith: "USER_RATE_PER_MINUTE",
  },
  registration: {
    bounds: "registrations of clients of MCP",
    whose: "network",
    most: 20,
    seconds: MINUTE,
    offWith: "USER_RATE_PER_MINUTE",
  },
} as const satisfies Record<string, Rate>;

export type RateRule = keyof typeof RATES;

/** Events of messaging platforms in a minute, by webhook or connection. One object counts both. */
export const EVENTS = {
  channel: {
    bounds: "messages and clicks",
    whose: "channel",
    most: 300,
    seconds: MINUTE,
    variable: "CHANNEL_WEBHOOK_RATE_LIMIT",
  },
  owner: {
    bounds: "messages and clicks of all channels",
    whose: "person",
    most: 600,
    seconds: MINUTE,
    variable: "CHANNEL_OWNER_RATE_LIMIT",
  },
} as const satisfies Record<string, Limit>;

export interface Attempts extends Limit {
  seconds: number;
  /** So many networks, or people of one network, may each use `most` up. */
  times?: number;
  /** Outside production, 0 is no limit, and a variable is the one whose 0 switches this limit off too. */
  elsewhere?: 0 | string;
}

const AUTH_WINDOW = { seconds: 15 * MINUTE, windowVariable: "AUTH_ATTEMPT_WINDOW_SECONDS" } as const;
const TYPED_CODES = { most: 5, seconds: HOUR, elsewhere: "AUTH_ATTEMPTS_PER_ACCOUNT" } as const;

/** Windows of what is counted in storage, because it must outlive memory: guesses, mails, costly or sensitive reads. */
export const ATTEMPTS = {
  account: {
    bounds: "wrong guesses",
    whose: "account",
    most: 10,
    ...AUTH_WINDOW,
    variable: "AUTH_ATTEMPTS_PER_ACCOUNT",
  },
  everywhere: {
    bounds: "wrong passwords, from all networks",
    whose: "account",
    most: 10,
    times: 10,
    ...AUTH_WINDOW,
    variable: "AUTH_ATTEMPTS_PER_ACCOUNT",
  },
  address: {
    bounds: "wrong guesses and sent mails",
    whose: "network",
    most: 100,
    ...AUTH_WINDOW,
    variable: "AUTH_ATTEMPTS_PER_ADDRESS",
  },
  mail: {
    bounds: "mails of one kind",
    whose: "account",
    most: 10,
    ...AUTH_WINDOW,
    variable: "MAIL_SENDS_PER_ACCOUNT",
  },
  registration: {
    bounds: "new accounts",
    whose: "network",
    most: 50,
    ...AUTH_WINDOW,
    variable: "REGISTRATIONS_PER_ADDRESS",
    elsewhere: 0,
  },
  personCode: {
    bounds: "wrong codes of messaging platforms or command lines",
    whose: "person",
    ...TYPED_CODES,
    source: "decision 0037",
  },
  addressCode: {
    bounds: "wrong codes of messaging platforms or command lines",
    whose: "network",
    times: 10,
    ...TYPED_CODES,
    source: "decision 0037",
  },
  revealBurst: { bounds: "secrets shown", whose: "person", most: 10, seconds: 5 * MINUTE },
  revealDay: { bounds: "secrets shown", whose: "person", most: 100, seconds: DAY },
  modelKeyTest: { bounds: "tests of model keys", whose: "person", most: 20, seconds: 5 * MINUTE },
  serverMail: { bounds: "mails that it needs authorization", whose: "MCP server", most: 1, seconds: DAY },
  voiceHour: { bounds: "voice messages transcribed", whose: "person", most: 30, seconds: HOUR },
  voiceDay: { bounds: "voice messages transcribed", whose: "person", most: 120, seconds: DAY },
  appRefresh: {
    bounds: "refreshes of a connected app's tokens, each of which is good for an hour",
    whose: "key",
    most: 20,
    seconds: HOUR,
  },
  mediaReader: {
    bounds: "executors that read a message's files",
    whose: "task",
    most: 1,
    seconds: 2 * MINUTE,
  },
} as const satisfies Record<string, Attempts>;

export type AttemptRule = keyof typeof ATTEMPTS;

/** A counter's key and its limit. */
export interface Counter {
  of: "network" | "account" | "account, in each network";
  rule: AttemptRule;
}

/** Counted first: a client that has used up its network's limit does not affect the account's counter. */
const NETWORK: Counter = { of: "network", rule: "address" };

const GUESSES = { counters: [NETWORK, { of: "account", rule: "account" }], givenBack: true } as const;

const SIGN_INS = {
  counters: [
    NETWORK,
    { of: "account, in each network", rule: "account" },
    { of: "account", rule: "everywhere" },
  ],
  givenBack: true,
} as const;

/** Codes of a few characters, which a person who is signed in enters. */
const CODES = {
  counters: [
    { of: "network", rule: "addressCode" },
    { of: "account", rule: "personCode" },
  ],
  givenBack: true,
} as const;

const MESSAGES = { counters: [NETWORK, { of: "account", rule: "mail" }], givenBack: false } as const;

/**
 * Lockouts, by what an attempt is for. Each kind is counted separately, so that many invitations to a person do not block
 * that person's login codes.
 *
 * A stranger can try passwords on any account. So that a single stranger cannot lock an account, its limit applies per
 * network, and all networks together have a higher limit. Many people may share a network, so its limit is higher than
 * an account's. `givenBack` says whether a success is subtracted from the count.
 */
export const LOCKOUTS = {
  /** A password. */
  login: SIGN_INS,
  /** The assertion of a passkey. */
  passkey: SIGN_INS,
  /** A code that was mailed. */
  code: GUESSES,
  /** The link of a reset. */
  reset: GUESSES,
  /** The token that pairs a desktop app. */
  pairing: GUESSES,
  /** The code that a messaging platform's user was sent. */
  identity: CODES,
  /** The code that a command line shows to the person who signs in with it. */
  device: CODES,
  mail: MESSAGES,
  invitation: MESSAGES,
  registration: { counters: [{ of: "network", rule: "registration" }], givenBack: false },
} as const satisfies Record<string, { counters: readonly Counter[]; givenBack: boolean }>;

export type AttemptKind = keyof typeof LOCKOUTS;

/** What the statement or the pass that would exceed it counts itself. */
export const ALLOWANCES = {
  agentsOfPerson: {
    bounds: "chats in which an agent is at work",
    whose: "person",
    most: 10,
    variable: "USER_MAX_CONCURRENT_AGENTS",
    source: "decision 0021",
  },
  agentsOfProject: {
    bounds: "chats in which an agent is at work",
    whose: "project",
    most: 20,
    variable: "PROJECT_MAX_CONCURRENT_AGENTS",
    source: "decision 0021",
  },
  messagesToAgents: {
    bounds: "messages to agents, over all keys, sessions and sockets",
    whose: "person",
    most: 20,
    // As the variable's name says, and so the statement.
    seconds: 10,
    variable: "USER_ENQUEUE_RATE_PER_10S",
    source: "decision 0021",
  },
  mailedCode: {
    bounds: "guesses, however many codes are mailed",
    whose: "login",
    most: 5,
    variable: "TWO_FA_MAX_ATTEMPTS",
    source: "contract",
  },
  waitingPairingCodes: {
    bounds: "pairing codes that wait to be entered",
    whose: "channel",
    most: 3,
    variable: "GATEWAY_PAIRING_MAX_PENDING",
  },
  pairingCodes: {
    bounds: "pairing codes",
    whose: "sender",
    most: 1,
    seconds: 10 * MINUTE,
    windowVariable: "GATEWAY_PAIRING_RATE_LIMIT_MINUTES",
  },
  invitations: { bounds: "invitations by mail", whose: "team", most: 50, seconds: DAY },
  waitingMessages: { bounds: "messages that wait for the task's end", whose: "conversation", most: 20 },
  waitingRuns: { bounds: "runs that wait for the one before", whose: "schedule", most: 10 },
} as const satisfies Record<string, Limit>;
