import { z } from "zod";

/** The line that every failure is with `--json`. */
export const Failure = z.strictObject({
  error: z.strictObject({
    code: z.string().min(1),
    status: z.int().nullable(),
    detail: z.string().min(1),
    request_id: z.string().nullable(),
  }),
});

const id = z.uuid();
const moment = z.iso.datetime({ offset: true });

/** A line of standard output with `--json`, of each command. */
export const Lines = {
  whoami: z.object({ service: z.url(), kind: z.enum(["session", "key"]), user_id: id }),
  project: z.object({ id, slug: z.string(), name: z.string(), status: z.string(), created_at: moment }),
  deletedProject: z.object({ project_id: id, project_slug: z.string() }),
  link: z.object({ folder: z.string(), service: z.url(), project_id: id, slug: z.string() }),
  unlink: z.object({ folder: z.string().nullable(), project_id: id.nullable() }),
  open: z.object({ url: z.url(), opened: z.boolean() }),
  started: z.strictObject({ task_id: id, chat_id: id, project_id: id }),
  result: z.strictObject({
    task_id: id,
    chat_id: id,
    project_id: id,
    status: z.enum(["completed", "failed", "cancelled"]),
    response: z.string().nullable(),
  }),
  event: z.looseObject({ type: z.string(), id: z.int().min(0) }),
  task: z.object({ task_id: id, chat_id: id }),
  cancelled: z.object({ task_id: id, status: z.string() }),
  approval: z.object({
    approval_id: id,
    task_id: id,
    tool: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    expires_at: moment,
  }),
  answered: z.object({ success: z.literal(true), message: z.string() }),
  gitStatus: z.object({
    branch: z.string().nullable(),
    changes: z.array(z.object({ file_path: z.string() })),
  }),
  gitDiff: z.object({ diff: z.string(), truncated: z.boolean() }),
  commit: z.object({ sha: z.string(), title: z.string() }),
  committed: z.object({ sha: z.string(), message: z.string() }),
  branch: z.object({ name: z.string(), current: z.boolean() }),
  switched: z.object({ message: z.string() }),
  snapshot: z.object({ hash: z.string(), label: z.string() }),
  restored: z.object({ success: z.literal(true), restored_hash: z.string() }),
  key: z.object({ id, name: z.string(), key_prefix: z.string(), is_active: z.boolean() }),
  revoked: z.object({ status: z.literal("deactivated"), key_id: id }),
  schedule: z.object({ id, name: z.string(), schedule: z.string(), paused: z.boolean() }),
  changed: z.object({ id, status: z.string() }),
  stdioServer: z.object({ name: z.string(), state: z.string() }),
  mcpServer: z.object({ id, name: z.string(), scope: z.string(), state: z.string(), tools: z.unknown() }),
  deleted: z.object({ deleted: id }),
  usage: z.object({
    credits: z.object({ total_credits: z.number() }),
    usage: z.object({ total_requests: z.int() }),
  }),
  user: z.object({ id, username: z.string() }),
  finding: z.strictObject({
    check: z.string(),
    state: z.enum(["ok", "failed", "skipped"]),
    detail: z.string(),
    advice: z.string().nullable(),
  }),
  deployment: z.object({
    id,
    provider: z.string(),
    status: z.enum(["pending", "building", "pushing", "deploying", "success", "failed", "cancelled"]),
    deployment_url: z.url().nullable(),
    created_at: moment,
  }),
  channel: z.object({ id, channel_type: z.string(), name: z.string(), connected: z.boolean() }),
  paired: z.object({ platform: z.string() }),
  linkedAccount: z.object({ id, platform: z.string(), platform_user_id: z.string(), paired_at: moment }),
  completion: z.object({ shell: z.string(), script: z.string() }),
} as const;
