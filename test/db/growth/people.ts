import { createHash } from "node:crypto";
import { each, STEP } from "./rows.ts";

/** A person whose requests are measured, with the same number of own rows at every size. */
export interface Person {
  /** Number of the person and the personal team; their other rows are numbered from it. */
  from: number;
  projects: number;
  /** Distributed evenly over the projects; likewise the tasks over the chats. */
  chats: number;
  tasks: number;
  /** The large team of the projects; without it they are in the personal team. */
  largeTeam?: number;
}

const NUMBERS = 100_000_000;

export const PEOPLE = {
  /** A few projects. */
  ordinary: { from: NUMBERS, projects: 5, chats: 40, tasks: 400 },
  /** The same number of projects, in a team with many projects of other people. */
  colleague: { from: NUMBERS * 2, projects: 5, chats: 40, tasks: 400, largeTeam: 1 },
  /** Two thousand projects and twenty thousand tasks. */
  busy: { from: NUMBERS * 3, projects: 2000, chats: 4000, tasks: 20_000 },
} satisfies Record<string, Person>;

/** Queued tasks of each person, for requests that change a task: each is changed once. */
const WAITING_TASKS = 100;

/** The `n`-th row of a person and kind, from 1. */
export function rowOf({ from }: Person, kind: string, n: number): string {
  return idOf(kind, from + n);
}

/** The person's `n`-th queued task, from 1. */
export function waitingTaskOf(person: Person, n: number): string {
  return rowOf(person, "task", person.tasks + n);
}

export const userOf = (person: Person): string => idOf("user", person.from);

/** The hash of the person's first key. */
export const keyHashOf = ({ from }: Person): string => `key-${from}-1`;

/** The team of a person's projects. */
export const teamOf = ({ from, largeTeam }: Person): string =>
  largeTeam === undefined ? idOf("personal", from) : idOf("large", largeTeam);

/** The id that the database's `growth_id` computes. */
function idOf(kind: string, n: number): string {
  const moment = (1_700_000_000_000 + n * 1000).toString(16).padStart(12, "0");
  const kindDigits = createHash("md5").update(kind).digest("hex").slice(0, 3);
  const number = n.toString(16).padStart(15, "0");
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${kindDigits}-8${number.slice(0, 3)}-${number.slice(3)}`;
}

/** Statements that fill the tables with these people's rows; as `rowsOfOthers`. */
export function rowsOfPeople(people: readonly Person[]): string[] {
  return people.flatMap(rowsOfPerson);
}

function rowsOfPerson(person: Person): string[] {
  const { from, projects, chats, tasks } = person;
  const user = `'${userOf(person)}'::uuid`;
  const team = `'${teamOf(person)}'::uuid`;
  const own = `growth_id('personal', ${from})`;
  const row = (kind: string, n = "n") => `growth_id('${kind}', ${from} + ${n})`;
  /** Distributes numbers over the rows of a kind. */
  const spread = (kind: string, count: number, n = "n") => row(kind, `1 + (${n} - 1) % ${count}`);
  const project = (n?: string) => spread("project", projects, n);
  const chat = (n?: string) => spread("chat", chats, n);
  /** Sequence number of a task in its chat, from 1. */
  const seqOf = (n: string | number) => `1 + (${n} - 1) / ${chats}`;
  const projectOfTask = project(`(1 + (n - 1) % ${chats})`);
  const moment = `growth_at(n, ${tasks})`;
  return [
    `INSERT INTO users (id, email, username, name, slug, is_verified, default_team_id)
      SELECT ${user}, 'p${from}@example.com', 'p${from}', 'Somebody', 'p${from}', true, ${team}`,
    `INSERT INTO teams (id, name, slug, is_personal, created_by, purchased_credits)
      SELECT ${own}, 'Personal', 'p${from}', true, ${user}, 1000000`,
    `INSERT INTO team_memberships (team_id, user_id, role) SELECT ${own}, ${user}, 'admin'
      ${person.largeTeam === undefined ? "" : `UNION ALL SELECT ${team}, ${user}, 'editor'`}`,
    `INSERT INTO external_api_keys (id, user_id, team_id, name, key_hash, key_prefix, scope, webhook_secret_encrypted)
      SELECT ${row("key")}, ${user}, ${team}, 'key', 'key-${from}-' || n, 'tsk_abcd', 'team', 'secret' FROM ${each(5)}`,
    `INSERT INTO sessions (id, user_id, user_agent, ip_address, expires_at)
      SELECT ${row("session")}, ${user}, 'Browser', '192.0.2.1', now() + interval '14 days' FROM ${each(5)}`,
    `INSERT INTO audit_log (id, team_id, project_id, user_id, action, resource_type)
      SELECT ${row("audit")}, ${own}, ${project()}, ${user}, 'session.started', 'session' FROM ${each(200)}`,
    `INSERT INTO team_invitations (id, team_id, kind, email, role, token_hash, invited_by, expires_at)
      SELECT ${row("invitation")}, ${own}, 'email', 'guest${from}-' || n || '@example.com', 'viewer', 'hash-${from}-' || n,
        ${user}, now() + interval '7 days' FROM ${each(5)}`,
    `INSERT INTO projects (id, team_id, owner_id, name, slug, source_type, status, settings, set_up_at, last_activity, created_at)
      SELECT ${row("project")}, ${team}, ${user}, 'Project ' || n, 'p${from}-' || n, 'empty', 'stopped',
        CASE WHEN n = 1 THEN '{"default_workspace": true}' ELSE '{}' END::jsonb, now(), now(), growth_at(n, ${projects})
      FROM ${each(projects)}`,
    `INSERT INTO containers (id, project_id, name, label, startup_command)
      SELECT ${row("container")}, ${project()}, 'web', 'web', 'npm run dev' FROM ${each(projects)}`,
    `INSERT INTO snapshots (id, project_id, hash, role, label, file_count, total_bytes, packs)
      SELECT ${row("snapshot")}, ${project()}, 'hash-' || n, 'checkpoint', 'Snapshot', 10, 1000, '{}' FROM ${each(projects * 2)}`,
    `INSERT INTO command_runs (id, project_id, user_id, command, working_dir, risk_level, success, duration_ms)
      SELECT ${row("run")}, ${project()}, ${user}, 'ls', '/', 'safe', true, 5 FROM ${each(20)}`,
    `INSERT INTO background_tasks (id, user_id, project_id, type, status, completed_at)
      SELECT ${row("background")}, ${user}, ${project()}, 'project_creation', 'completed', now() FROM ${each(5)}`,
    `INSERT INTO shell_sessions (id, project_id, user_id, command, working_dir, status)
      SELECT ${row("shell")}, ${project()}, ${user}, 'sh', '/', 'active' FROM ${each(3)}`,
    `INSERT INTO chats (id, user_id, project_id, title, origin, last_seq, created_at, updated_at)
      SELECT ${row("chat")}, ${user}, ${project()}, 'Chat ' || n, CASE WHEN n % 3 = 0 THEN 'standalone' ELSE 'browser' END,
        ${seqOf(tasks + WAITING_TASKS)}, growth_at(n, ${chats}), growth_at(n, ${chats}) FROM ${each(chats)}`,
    `INSERT INTO tasks (id, user_id, project_id, chat_id, seq, agent_id, api_key_id, origin, source, message, model, status, generation,
        response, iterations, completion_reason, created_at, started_at, completed_at)
      SELECT ${row("task")}, ${user}, ${projectOfTask}, ${chat()}, ${seqOf("n")}, (SELECT id FROM agents LIMIT 1), ${row("key", "1")}, 'browser', '{"kind": "browser"}',
        'What is to be done?', 'demo', 'completed', 1, 'It is done.', 1, 'final', ${moment}, ${moment}, ${moment}
      FROM ${each(tasks)}`,
    `INSERT INTO tasks (id, user_id, project_id, chat_id, seq, agent_id, api_key_id, origin, source, message, model, status)
      SELECT ${row("task", `${tasks} + n`)}, ${user}, ${projectOfTask}, ${chat()}, ${seqOf(`(${tasks} + n)`)}, (SELECT id FROM agents LIMIT 1),
        ${row("key", "1")}, 'browser', '{"kind": "browser"}', 'What is to be done?', 'demo', 'queued' FROM ${each(WAITING_TASKS)}`,
    `INSERT INTO task_steps (id, task_id, step_index, step_data)
      SELECT ${row("step")}, ${row("task")}, 1, '${JSON.stringify(STEP)}' FROM ${each(tasks)}`,
    `INSERT INTO messages (id, chat_id, seq, role, content, task_id, created_at)
      SELECT ${row("message")}, ${chat("((n + 1) / 2)")}, ${seqOf("((n + 1) / 2)")}, CASE WHEN n % 2 = 1 THEN 'user' ELSE 'assistant' END,
        'A sentence or two of the usual length.', ${row("task", "(n + 1) / 2")}, growth_at(n, ${tasks * 2})
      FROM ${each(tasks * 2)}`,
    `INSERT INTO messages (id, chat_id, seq, role, content, task_id)
      SELECT ${row("message", `${tasks * 2} + n`)}, ${chat()}, ${seqOf(`(${tasks} + n)`)}, 'user', 'What is to be done?', ${row("task", `${tasks} + n`)}
      FROM ${each(WAITING_TASKS)}`,
    `INSERT INTO usage_logs (id, user_id, project_id, team_id, agent_id, task_id, iteration, provider, model, input_tokens,
        output_tokens, cached_input_tokens, cache_write_tokens, cost_total, billed_status, created_at)
      SELECT ${row("usage")}, ${user}, ${projectOfTask}, ${own}, (SELECT id FROM agents LIMIT 1), ${row("task")}, 1, 'openai',
        'demo', 1000, 100, 0, 0, 1, 'credited', ${moment} FROM ${each(tasks)}`,
  ];
}
