/** Number of other people's rows in a database. */
export interface Size {
  users: number;
  projects: number;
  chats: number;
  tasks: number;
}

/** A thousand people with two million messages. */
export const LARGE: Size = { users: 1000, projects: 20_000, chats: 200_000, tasks: 1_000_000 };

/** The same installation with `divisor` times fewer rows. */
export function aPartOf(size: Size, divisor: number): Size {
  return {
    users: size.users / divisor,
    projects: size.projects / divisor,
    chats: size.chats / divisor,
    tasks: size.tasks / divisor,
  };
}

/** Large teams. Projects outside of personal teams are in these or in one of the many small ones. */
const LARGE_TEAMS = 3;
const SMALL_TEAM_MEMBERS = 5;
/** Agents, and as many templates, that the marketplace lists, at every size. */
const LISTED = 10_000;
/** Running projects, at every size, because a sweep reads the running ones. */
const RUNNING = 50;

/** A turn as the service stores it. */
export const STEP = {
  iteration: 1,
  thought: null,
  response_text: "It is done.",
  tool_calls: [],
  is_complete: true,
  timestamp: "2026-01-01T00:00:00.000Z",
  usage: { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0 },
};

/**
 * Ids like the service's (UUIDv7), computed from a time, a kind of row and its number, so that related rows are found
 * by their numbers. Rows of one kind are distributed evenly over the past year.
 */
export const FUNCTIONS = `
  CREATE FUNCTION growth_at(n bigint, total bigint) RETURNS timestamptz LANGUAGE sql STABLE AS
    $$ SELECT date_trunc('hour', now()) - interval '1 day' - (total - n) * (interval '364 days' / total) $$;
  CREATE FUNCTION growth_id(kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    $$ SELECT (lpad(to_hex(1700000000000 + n * 1000), 12, '0') || '7' || substr(md5(kind), 1, 3) || '8'
      || lpad(to_hex(n), 15, '0'))::uuid $$;
`;

/** The numbers from 1 to `count`. */
export const each = (count: number): string => `generate_series(1::bigint, ${count}) AS n`;

/**
 * Statements that fill the tables with other people's rows. Triggers and indexes are disabled meanwhile, so only the
 * numbers keep the foreign keys correct.
 */
export function rowsOfOthers({ users, projects, chats, tasks }: Size): string[] {
  const smallTeams = Math.max(1, Math.round(users / SMALL_TEAM_MEMBERS));
  /** Distributes numbers over the people. */
  const user = (n: string) => `growth_id('user', 1 + ${n} % ${users})`;
  // Of ten projects, four are in large teams, two in small ones, and four in personal ones.
  const team = `CASE WHEN n % 10 < 4 THEN growth_id('large', 1 + n % ${LARGE_TEAMS})
    WHEN n % 10 < 6 THEN growth_id('small', 1 + n % ${smallTeams}) ELSE growth_id('personal', 1 + n % ${users}) END`;
  const project = (n: string) => `growth_id('project', 1 + ${n} % ${projects})`;
  const chat = (n: string) => `growth_id('chat', 1 + ${n} % ${chats})`;
  /** Sequence number of a task in its chat, from 1. */
  const seq = (n: string) => `1 + (${n} - 1) / ${chats}`;
  // Follows the distribution of tasks over chats, chats over projects and projects over people; each number is one less
  // than that of the row.
  const ofChat = `(n % ${chats})`;
  const userOfTask = user(`(1 + (1 + ${ofChat}) % ${projects})`);
  const projectOfTask = project(`(1 + ${ofChat})`);
  // One task in a thousand is unfinished; as many are queued as a sweep takes at once.
  const state = `CASE WHEN n > ${tasks - 10} THEN 'queued' WHEN n % 1000 = 2 THEN 'running'
    WHEN n % 50 = 0 THEN 'failed' WHEN n % 100 = 1 THEN 'cancelled' ELSE 'completed' END`;
  return [
    `INSERT INTO users (id, email, username, name, slug, password_hash, is_verified, default_team_id, created_at)
      SELECT growth_id('user', n), 'person' || n || '@example.com', 'person' || n, 'Person ' || n, 'person-' || n, md5(n::text),
        true, growth_id('personal', n), growth_at(n, ${users}) FROM ${each(users)}`,
    `INSERT INTO teams (id, name, slug, is_personal, created_by)
      SELECT growth_id('personal', n), 'Personal', 'personal-' || n, true, growth_id('user', n) FROM ${each(users)}`,
    `INSERT INTO teams (id, name, slug, created_by)
      SELECT growth_id('large', n), 'Large', 'large-' || n, ${user("n")} FROM ${each(LARGE_TEAMS)}`,
    `INSERT INTO teams (id, name, slug, created_by)
      SELECT growth_id('small', n), 'Small', 'small-' || n, ${user("n")} FROM ${each(smallTeams)}`,
    `INSERT INTO team_memberships (team_id, user_id, role)
      SELECT growth_id('personal', n), growth_id('user', n), 'admin' FROM ${each(users)}
      UNION ALL SELECT growth_id('large', 1 + n % ${LARGE_TEAMS}), growth_id('user', n),
        CASE WHEN n % 20 = 0 THEN 'admin' ELSE 'editor' END FROM ${each(users)}
      UNION ALL SELECT growth_id('small', 1 + n % ${smallTeams}), growth_id('user', n), 'editor' FROM ${each(users)}`,
    `INSERT INTO agents (id, team_id, created_by, slug, name, description, system_prompt, category, tags, is_published,
        published_at)
      SELECT growth_id('agent', n), growth_id('personal', 1 + n % ${users}), ${user("n")}, 'agent-' || n, 'Agent number ' || n,
        'It reviews what was changed.', 'Review.', 'review', ARRAY['tag-' || n % 50], true, now() FROM ${each(LISTED)}`,
    `INSERT INTO bases (id, slug, name, visibility, created_by, file_count, total_bytes)
      SELECT growth_id('base', n), 'base-' || n, 'Template number ' || n, 'public', ${user("n")}, 1, 1 FROM ${each(LISTED)}`,
    `INSERT INTO projects (id, team_id, owner_id, name, slug, source_type, status, visibility, set_up_at, started_at,
        last_activity, created_at)
      SELECT growth_id('project', n), ${team}, ${user("n")}, 'Project ' || n, 'project-' || n, 'empty',
        CASE WHEN n <= ${RUNNING} THEN 'running' ELSE 'hibernated' END,
        CASE WHEN n % 5 = 0 THEN 'private' ELSE 'team' END, now(),
        CASE WHEN n <= ${RUNNING} THEN now() - interval '5 minutes' END, growth_at(n, ${projects}), growth_at(n, ${projects})
      FROM ${each(projects)}`,
    `INSERT INTO project_memberships (project_id, user_id, role)
      SELECT growth_id('project', n), ${user("n + 7")}, 'viewer' FROM ${each(projects)} WHERE n % 4 = 0`,
    `INSERT INTO containers (id, project_id, name, label, status, startup_command)
      SELECT growth_id('container', n), growth_id('project', n), 'web', 'web',
        CASE WHEN n <= ${RUNNING} THEN 'running' ELSE 'stopped' END, 'npm run dev' FROM ${each(projects)}`,
    `INSERT INTO snapshots (id, project_id, hash, role, label, file_count, total_bytes, packs, created_at)
      SELECT growth_id('snapshot', n), ${project("n")}, md5(n::text), 'hibernation', 'Snapshot', 10, 1000, '{}',
        growth_at(n, ${projects * 2}) FROM ${each(projects * 2)}`,
    `INSERT INTO repositories (project_id, id, repo_url, repo_owner, repo_name, default_branch, user_id, sync_status)
      SELECT growth_id('project', n), growth_id('repository', n), 'https://example.com/a/b', 'a', 'b', 'main', ${user("n")},
        'cloned' FROM ${each(projects)} WHERE n % 4 = 0`,
    `INSERT INTO shell_sessions (id, project_id, user_id, command, working_dir, status, created_at, last_activity_at)
      SELECT growth_id('shell', n), ${project("n")}, ${user("n")}, 'sh', '/', 'closed', growth_at(n, ${users * 50}),
        growth_at(n, ${users * 50}) FROM ${each(users * 50)}`,
    `INSERT INTO command_runs (id, project_id, user_id, command, working_dir, risk_level, success, duration_ms, created_at)
      SELECT growth_id('run', n), ${project("n")}, ${user("n")}, 'ls', '/', 'safe', true, 5, now() - (n % 29) * interval '1 day'
      FROM ${each(users * 50)}`,
    `INSERT INTO background_tasks (id, user_id, project_id, type, status, created_at, completed_at)
      SELECT growth_id('background', n), ${user("n")}, ${project("n")}, 'project_creation', 'completed', now() - interval '1 day', now()
      FROM ${each(projects)}`,
    `INSERT INTO external_api_keys (id, user_id, team_id, name, key_hash, key_prefix, scope, webhook_secret_encrypted)
      SELECT growth_id('key', n), ${user("n")}, growth_id('personal', 1 + n % ${users}), 'key', md5(n::text), 'tsk_abcd', 'team',
        'secret' FROM ${each(users * 3)}`,
    `INSERT INTO sessions (id, user_id, user_agent, ip_address, created_at, last_used_at, expires_at)
      SELECT growth_id('session', n), ${user("n")}, 'Browser', '192.0.2.1', now(), now(), now() + interval '14 days'
      FROM ${each(users * 20)}`,
    `INSERT INTO refresh_records (id, session_id, token_hash, expires_at)
      SELECT growth_id('refresh', n), growth_id('session', 1 + n % ${users * 20}), md5(n::text), now() + interval '14 days'
      FROM ${each(users * 100)}`,
    `INSERT INTO audit_log (id, team_id, user_id, action, resource_type, created_at)
      SELECT growth_id('audit', n), growth_id('personal', 1 + n % ${users}), ${user("n")}, 'session.started', 'session',
        growth_at(n, ${users * 200}) FROM ${each(users * 200)}`,
    `INSERT INTO team_invitations (id, team_id, kind, email, role, token_hash, invited_by, expires_at)
      SELECT growth_id('invitation', n), growth_id('small', 1 + n % ${smallTeams}), 'email', 'guest' || n || '@example.com',
        'viewer', md5(n::text), ${user("n")}, now() + interval '7 days' FROM ${each(users * 3)}`,
    `INSERT INTO chats (id, user_id, project_id, title, origin, last_seq, created_at, updated_at)
      SELECT growth_id('chat', n), ${user(`(1 + n % ${projects})`)}, ${project("n")}, 'Chat ' || n,
        CASE WHEN n % 3 = 0 THEN 'api' ELSE 'browser' END, ${tasks / chats + 1}, growth_at(n, ${chats}), growth_at(n, ${chats})
      FROM ${each(chats)}`,
    `INSERT INTO chat_attachments (id, chat_id, user_id, file_path, filename, mime_type, size_bytes, sha256, message_id, created_at)
      SELECT growth_id('attachment', n), growth_id('chat', n), ${user(`(1 + n % ${projects})`)}, '.chat/' || n, 'a.txt',
        'text/plain', 10, md5(n::text), growth_id('message', n * 2), growth_at(n, ${chats})
      FROM ${each(chats)} WHERE n % 10 = 0`,
    `INSERT INTO tasks (id, user_id, project_id, chat_id, seq, agent_id, origin, source, message, model, status, generation, response,
        iterations, completion_reason, created_at, started_at, completed_at)
      SELECT growth_id('task', n), ${userOfTask}, ${projectOfTask}, ${chat("n")}, ${seq("n")}, (SELECT id FROM agents LIMIT 1), 'browser', '{"kind": "browser"}',
        'What is to be done, in a sentence or two of the usual length?', 'demo', state, 1, 'It is done, and this is what was found.',
        1, 'final', moment, CASE WHEN state <> 'queued' THEN moment END,
        CASE WHEN state NOT IN ('queued', 'running') THEN moment + interval '20 seconds' END
      FROM (SELECT n, ${state} AS state, growth_at(n, ${tasks}) AS moment FROM ${each(tasks)}) AS tasks`,
    `INSERT INTO task_steps (id, task_id, step_index, step_data, created_at)
      SELECT growth_id('step', n), growth_id('task', n), 1, '${JSON.stringify(STEP)}', growth_at(n, ${tasks})
      FROM ${each(tasks)}`,
    `INSERT INTO messages (id, chat_id, seq, role, content, task_id, created_at)
      SELECT growth_id('message', n), ${chat("(n / 2)")}, ${seq("(n / 2)")}, CASE WHEN n % 2 = 0 THEN 'user' ELSE 'assistant' END,
        'A sentence or two of the usual length, as people and agents write them.', growth_id('task', n / 2),
        growth_at(n, ${tasks * 2}) FROM generate_series(2::bigint, ${tasks * 2 + 1}) AS n`,
    `INSERT INTO usage_logs (id, user_id, project_id, team_id, agent_id, task_id, iteration, provider, model, input_tokens,
        output_tokens, cached_input_tokens, cache_write_tokens, cost_total, billed_status, created_at)
      SELECT growth_id('usage', n), ${userOfTask}, ${projectOfTask}, growth_id('personal', 1 + n % ${users}),
        (SELECT id FROM agents LIMIT 1), growth_id('task', n), 1, 'openai', 'demo', 1000, 100, 0, 0, 1, 'credited',
        growth_at(n, ${tasks}) FROM ${each(tasks)}`,
    `INSERT INTO approvals (id, task_id, iteration, call_id, tool, parameters, response, answered_at, expires_at, created_at)
      SELECT growth_id('approval', n), growth_id('task', n), 1, 'call', 'bash_exec', '{}',
        CASE WHEN n % 1000 <> 2 THEN 'allow_once' END, growth_at(n, ${tasks}), growth_at(n, ${tasks}) + interval '1 day',
        growth_at(n, ${tasks}) FROM ${each(tasks)} WHERE n % 50 IN (0, 2)`,
    `INSERT INTO idempotency_keys (api_key_id, key, request_hash, task_id)
      SELECT growth_id('key', 1 + n % ${users * 3}), n::text, md5(n::text), growth_id('task', n) FROM ${each(users * 10)}`,
    // Many that wait for their next attempt, some that were given up.
    `INSERT INTO jobs (kind, key, payload, due_at, attempts, last_error, failed_at, created_at)
      SELECT 'deliver-callback', growth_id('task', n), '{}', now() + interval '10 minutes', 9, 'The receiver returned 500',
        CASE WHEN n % 100 = 0 THEN now() - n % 25 * interval '1 day' END, growth_at(n, ${tasks})
      FROM ${each(tasks)} WHERE n % 4 = 0`,
  ];
}

/** Sets the unfinished tasks of chats, once all tasks are stored. */
export const TURNS = `UPDATE chats SET unfinished_tasks = waiting.ids FROM (
    SELECT chat_id, array_agg(id ORDER BY seq) AS ids FROM tasks WHERE status IN ('queued', 'running') GROUP BY chat_id
  ) AS waiting WHERE chats.id = waiting.chat_id`;
