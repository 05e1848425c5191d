import { eq } from "drizzle-orm";
import { adapters } from "#src/channels/index.ts";
import { PLATFORMS, type ChannelApi } from "#src/channels/channel.ts";
import { projects, teams } from "#src/db/schema/index.ts";
import { endChannelsOf } from "#src/domain/messaging/channels/index.ts";
import { accessLost } from "#src/domain/access/permissions/index.ts";
import { createApiKey } from "#src/domain/programs/api-keys/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Services } from "#src/services.ts";
import type { Db } from "#src/platform/db/client.ts";
import { DeploymentWorld } from "#test/domain/hosting/deployments/support/deployment-world.ts";
import { PlatformRows } from "#test/domain/messaging/support/people-of-platforms.ts";
import { newMember, newTeam } from "#test/support/colleagues.ts";
import { mailing } from "#test/support/mailbox.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { CLIENT } from "#test/support/people.ts";
import { partOf } from "#test/support/part-of.ts";

/**
 * A project of a team, and an editor of the team, who owns the ways in. Platforms and hosting providers take everything; the
 * queue does nothing by itself.
 */
export async function openScene(db: Db) {
  const team = await newTeam(db);
  const owner = await newMember(db, team.id, "editor");
  const input = { name: "app", description: "", sourceType: "empty" } as const;
  const { id: projectId } = await createProject({ db }, team.owner.caller, input);
  await db
    .update(projects)
    .set({ teamId: team.id, status: "stopped", setUpAt: new Date(), wanted: null })
    .where(eq(projects.id, projectId));
  await db.update(teams).set({ subscriptionTier: "pro" }).where(eq(teams.id, team.id));
  const hosting = await DeploymentWorld.open(db);
  const mail = mailing(db);
  const deps = partOf<Services>({ ...hosting.deps(), ...outside(mail, hosting) });
  const keyInput = { name: "key", scopes: null, projectIds: [projectId], expiresAt: null };
  const { key, token } = await createApiKey(deps, owner.caller, keyInput, CLIENT);
  return {
    db,
    deps,
    mail,
    team,
    owner,
    key: { id: key.id, token },
    projectId,
    rows: new PlatformRows(db),
    /** What the queue does about lost access. */
    async follow(): Promise<void> {
      const lost = mail.published.filter((message) => message.function === "stop-tasks");
      for (const { payload } of lost) await endChannelsOf(deps, accessLost.message.parse(payload));
    },
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

function outside({ deps }: ReturnType<typeof mailing>, { config, files }: DeploymentWorld) {
  const api: ChannelApi = {
    identify: async () => ({ botId: "1", botName: "bot" }),
    directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
    send: async () => ({ messageId: crypto.randomUUID() }),
  };
  const taken = PLATFORMS.map((platform) => [platform, { ...adapters[platform], api: () => api }]);
  return partOf<Services>({
    ...deps,
    taskLogs: new MemoryTaskLogs(deps.queue).through((act) => act()),
    workspaces: { runtime: () => partOf<ProjectRuntime>(files), destroy: async () => {} },
    channels: Object.fromEntries(taken),
    apiEnvironment: {},
    channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
    gatewayShards: { sync: async () => {} },
    rateLimits: NO_EVENT_LIMITS,
    deliveryStream: { append: async () => {}, bury: async () => {} },
    config: {
      ...config,
      ...deps.config,
      DEFAULT_MODEL: "demo",
      ...NO_AGENT_LIMITS,
      GATEWAY_NUM_SHARDS: 1,
      GATEWAY_SESSION_IDLE_MINUTES: 60,
    },
    modelSettings: { platformModels: ["demo"] },
  });
}
