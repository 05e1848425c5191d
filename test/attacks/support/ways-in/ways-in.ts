import { and, eq, sql } from "drizzle-orm";
import { PLATFORMS } from "#src/channels/channel.ts";
import { deployments, jobs, projects, schedules, tasks } from "#src/db/schema/index.ts";
import { storeCredential } from "#src/domain/hosting/credentials/index.ts";
import { requestDeployment, runDeployment } from "#src/domain/hosting/deployments/index.ts";
import { INBOUND_MODES } from "#src/domain/messaging/channels/inbound-mode.ts";
import { authenticateGrant, authenticateKey } from "#src/domain/access/permissions/index.ts";
import { advanceRun, requestRun } from "#src/domain/schedules/runs/index.ts";
import { hibernateIdleProjects } from "#src/domain/workspaces/lifecycle/queries/sweep.ts";
import { requireProject, stateWanted } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import { executeJob } from "#src/work/execute.ts";
import { appDeps, connectedApp, freshCaller } from "#test/support/app-grants.ts";
import { CLIENT } from "#test/support/people.ts";
import { openChannel } from "./channel.ts";
import type { Scene } from "./scene.ts";
import type { WayIn } from "./way-in.ts";

type Open = (scene: Scene) => Promise<WayIn>;

/** The ways in. A new platform, or a new way in which its messages arrive, is one of them by itself. */
export const WAYS_IN: Readonly<Record<string, Open>> = {
  // First, because a task keeps a project awake, too.
  "always on": openAlwaysOn,
  ...Object.fromEntries(
    PLATFORMS.flatMap((platform) =>
      INBOUND_MODES[platform].map((inboundMode): [string, Open] => [
        `channel of ${platform} by ${inboundMode}`,
        (scene) => openChannel(scene, { platform, inboundMode }),
      ]),
    ),
  ),
  schedule: (scene) => openSchedule(scene, null),
  "schedule of a key": (scene) => openSchedule(scene, scene.key.id),
  deployment: openDeployment,
  "API key": openKey,
  "connected app": openApp,
};

/** What a row is that belongs to a person, and to a project or a team: its way in, or why it is none. */
export const TABLES: Readonly<Record<string, string>> = {
  channel_configs: "channel of each platform",
  schedules: "schedule",
  deployments: "deployment",
  deployment_credentials: "deployment",
  deployment_sites: "what a deployment has made; it does nothing",
  external_api_keys: "API key, connected app",
  projects: "always on",
  tasks: "begun by one of the ways in; each turn asks again (test/domain/agent-work/tasks/turns.test.ts)",
  chats: "a conversation; it does nothing without a task",
  shell_sessions: "open only while its person is connected, who is asked again",
  repositories: "a clone runs once, for a request",
  snapshots: "files of the project",
  command_runs: "a record of what was run",
  usage_logs: "a record of what was spent",
  audit_log: "a record of what was done",
  agents: "the team's; each turn asks whether it may use one",
  library_agents: "the team's; each turn asks whether it may use one",
  library_bases: "the team's; used by a request",
  mcp_servers:
    "called by tasks alone; a team's while their person is its member (test/domain/agent-work/mcp)",
  project_memberships: "the right itself",
  team_memberships: "the right itself",
  team_invitations: "ends with its inviter's role (test/domain/organisations/invitations)",
  checkouts: "a payment of the team",
  subscriptions: "a payment of the team",
  transactions: "a payment of the team",
};

async function openSchedule({ db, deps, owner, projectId }: Scene, apiKeyId: string | null): Promise<WayIn> {
  const id = newId();
  await db.insert(schedules).values({
    id,
    userId: owner.id,
    projectId,
    apiKeyId,
    name: "Issues",
    schedule: "every 15m",
    normalizedCron: "*/15 * * * *",
    timing: { kind: "interval", minutes: 15 },
    timezone: "UTC",
    anchorAt: new Date(),
    nextRunAt: new Date(),
    promptTemplate: "Summarise the open issues",
    deliver: "none",
    editMode: "allow",
  });
  const runs = async () => {
    const [schedule] = await db.select().from(schedules).where(eq(schedules.id, id));
    if (!schedule?.isActive) return false;
    const taskId = await requestRun(deps, id);
    await executeJob(deps, advanceRun, taskId);
    return (await db.$count(tasks, eq(tasks.id, taskId))) === 1;
  };
  return { works: async () => ({ runs: await runs() }) };
}

/** Times that an executor takes up a deployment; fewer suffice. */
const DELIVERIES = 20;

async function openDeployment({ db, deps, owner, projectId }: Scene): Promise<WayIn> {
  const credential = { provider: "netlify", token: "account", metadata: {}, project: null };
  await storeCredential(deps, owner.caller, credential, CLIENT);
  const wish = { project: projectId, provider: "netlify", env: {}, includesContainerEnv: false } as const;
  const requested = await requestDeployment(deps, owner.caller, wish);
  const isPublished = async () => {
    const own = eq(deployments.id, requested.id);
    for (let times = 0; times < DELIVERIES; times += 1) {
      await executeJob(deps, runDeployment, requested.id);
      await db
        .update(jobs)
        .set({ dueAt: sql`now()` })
        .where(eq(jobs.key, requested.id));
      const [row] = await db.select().from(deployments).where(own);
      if (row?.status === "success") return true;
      if (row === undefined || row.status === "failed") return false;
    }
    throw new Error("The deployment has no end");
  };
  return { works: async () => ({ "goes on": await isPublished() }) };
}

const PLACES = { free: 0, basic: 1, pro: 1, ultra: 1 };

async function openAlwaysOn({ db, projectId }: Scene): Promise<WayIn> {
  const own = eq(projects.id, projectId);
  await db.update(projects).set({ deployedAt: new Date() }).where(own);
  return {
    async works() {
      const longAgo = sql`now() - interval '2 hours'`;
      const idle = { startedAt: longAgo, lastActivity: longAgo, idleWarnedAt: longAgo };
      const [row] = await db
        .update(projects)
        .set({ ...idle, status: "running", wanted: null })
        .where(own)
        .returning();
      const asleep = await hibernateIdleProjects(db, 5, { up: "running", most: PLACES, limit: 1_000 });
      await db.update(projects).set({ status: "stopped", wanted: null, idleWarnedAt: null }).where(own);
      await db.delete(jobs).where(and(eq(jobs.kind, stateWanted.name), eq(jobs.key, projectId)));
      return { "stays awake": row !== undefined && !asleep.some(({ key }) => key === projectId) };
    },
  };
}

async function openApp({ db, owner, projectId, team }: Scene): Promise<WayIn> {
  const caller = await freshCaller(db, owner.id);
  const { accessToken } = await connectedApp(appDeps(db), caller, team.slug);
  const reaches = async () => {
    const app = await authenticateGrant({ db }, accessToken, "https://service.test/mcp");
    await requireProject({ db }, app, projectId, "chat.send");
    return true;
  };
  return { works: async () => ({ "starts tasks": await reaches().catch(() => false) }) };
}

async function openKey({ deps, key, projectId }: Scene): Promise<WayIn> {
  const reaches = async () => {
    await requireProject(deps, await authenticateKey(deps, key.token), projectId, "chat.send");
    return true;
  };
  return { works: async () => ({ "starts tasks": await reaches().catch(() => false) }) };
}
