import { eq } from "drizzle-orm";
import {
  chats,
  containers,
  deployments,
  deviceSignIns,
  oauthRequests,
  pairingTokens,
  teamMemberships,
  projects,
} from "#src/db/schema/index.ts";
import { insertAgent, updateAgentRow } from "#src/domain/agent-work/agents/queries.ts";
import { deleteUnbound, insertAttachment } from "#src/domain/agent-work/attachments/queries.ts";
import { createChat } from "#src/domain/agent-work/chats/index.ts";
import { deleteCredential, putCredential } from "#src/domain/hosting/credentials/queries.ts";
import { storeDeployment } from "#src/domain/hosting/deployments/queries/requests.ts";
import { changeChannel, insertChannel } from "#src/domain/messaging/channels/queries.ts";
import { insertModel, removeModel } from "#src/domain/models/model-keys/queries/models.ts";
import { putKey, removeKey } from "#src/domain/models/model-keys/queries/keys.ts";
import { putProvider, removeProvider } from "#src/domain/models/model-keys/queries/providers.ts";
import type { CeilingName } from "#src/domain/operations/ceilings/index.ts";
import { createApiKey, revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import { acceptInvitation, createLink } from "#src/domain/organisations/invitations/index.ts";
import { revokeInvitationRow } from "#src/domain/organisations/invitations/queries.ts";
import { createTeam } from "#src/domain/organisations/teams/index.ts";
import { deleteTeamRow } from "#src/domain/organisations/teams/queries.ts";
import { disconnectApp, listConnectedApps, openRequest } from "#src/domain/programs/connected-apps/index.ts";
import { mintPairing, pairDevice } from "#src/domain/programs/desktop/index.ts";
import { beginDeviceSignIn } from "#src/domain/people/device-sign-in/index.ts";
import { createSchedule, deleteSchedule, pauseSchedule } from "#src/domain/schedules/definitions/index.ts";
import { createPreview, deletePreview } from "#src/domain/workspaces/containers/index.ts";
import { insertContainer } from "#src/domain/workspaces/containers/queries.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { storeGitBase } from "#src/domain/workspaces/bases/index.ts";
import { deleteBaseRow } from "#src/domain/workspaces/bases/queries.ts";
import { endSession, insertSession } from "#src/domain/workspaces/shells/queries.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { appDeps, connectedApp, freshCaller, newQuestion } from "#test/support/app-grants.ts";
import { asMember, newColleague, type Colleague } from "#test/support/colleagues.ts";
import { passkeysOf } from "#test/support/passkeys.ts";
import { CLIENT } from "#test/support/people.ts";
import type { DeploymentSettings } from "#src/db/schema/deployments.ts";
import { partOf } from "#test/support/part-of.ts";
import type { Ceiled, Holding } from "./ceiled.ts";
import { MCP_DRIVERS } from "./mcp-ceilings.ts";

/** A new owner of each kind of thing, through the same functions as requests. A ceiling without one does not compile. */
export const DRIVERS: Readonly<Record<CeilingName, (deps: Ceiled) => Promise<Holding>>> = {
  async api_keys(deps) {
    const { caller, id: userId } = await newColleague(deps.db);
    const wish = { name: "key", scopes: null, projectIds: null, expiresAt: null };
    return {
      make: async () => (await createApiKey({ ...deps, secrets }, caller, wish, CLIENT)).key.id,
      remove: (id) => revokeApiKey({ ...deps, queue }, userId, id, CLIENT),
    };
  },
  async desktop_devices(deps) {
    const { caller, id: userId } = await newColleague(deps.db);
    const device = { name: "laptop", platform: null, fingerprint: null, appVersion: null };
    const wish = { device, scopes: null };
    return {
      make: async () => (await pairDevice({ ...deps, secrets }, caller, wish, CLIENT)).apiKeyId,
      remove: (id) => revokeApiKey({ ...deps, queue }, userId, id, CLIENT),
    };
  },
  async connected_apps({ db, config }) {
    const { id: userId } = await newColleague(db);
    const caller = await freshCaller(db, userId);
    const deps = appDeps(db, config);
    return {
      async make() {
        await connectedApp(deps, caller);
        const [newest] = await listConnectedApps(deps, caller);
        return newest?.id ?? "";
      },
      remove: (id) => disconnectApp(deps, caller, id, CLIENT),
    };
  },
  async passkeys({ db, config }) {
    const { id: userId } = await newColleague(db);
    return passkeysOf(await freshCaller(db, userId), { db, config });
  },
  async app_requests({ db, config }) {
    const { id: userId } = await newColleague(db);
    const deps = appDeps(db, config);
    const { asked } = newQuestion(deps);
    return {
      async make() {
        // Each of a session of its own, as from several browsers.
        const opened = await openRequest(deps, await freshCaller(db, userId), asked, ["file.read"]);
        return "id" in opened ? opened.id : "";
      },
      remove: (id) => db.delete(oauthRequests).where(eq(oauthRequests.id, id)),
    };
  },
  async pairing_links({ db, config }) {
    const { caller } = await newColleague(db);
    const deps = {
      db,
      config: { ...config, DESKTOP_SCHEME: "workspace", PAIRING_TOKEN_EXPIRY_SECONDS: 300 },
    };
    return {
      make: async () => sha256Hex((await mintPairing(deps, caller, null, CLIENT)).token),
      remove: (hash) =>
        db.update(pairingTokens).set({ usedAt: new Date() }).where(eq(pairingTokens.tokenHash, hash)),
    };
  },
  async device_sign_ins({ db, config }) {
    const deps = { db, config: { ...config, SECRET_KEY, PUBLIC_URL: "https://service.test" } };
    const client = { ...CLIENT, address: `198.51.100.${(addresses += 1)}` };
    return {
      make: async () => sha256Hex((await beginDeviceSignIn(deps, "laptop", client)).deviceCode),
      remove: (hash) => db.delete(deviceSignIns).where(eq(deviceSignIns.deviceCodeHash, hash)),
    };
  },
  channels: (deps) => channelsBy(deps, "webhook"),
  channel_connections: (deps) => channelsBy(deps, "connection"),
  async schedules(deps) {
    const { caller, make } = await schedulesOf(deps);
    return {
      async make() {
        const id = await make();
        await pauseSchedule(deps, caller, id);
        return id;
      },
      remove: (id) => deleteSchedule(deps, caller, id),
    };
  },
  async active_schedules(deps) {
    const { caller, make } = await schedulesOf(deps);
    return { make, remove: (id) => pauseSchedule(deps, caller, id) };
  },
  async chats(deps) {
    const { owner, projectId: project } = await newProject(deps.db);
    return {
      make: async () => (await createChat(deps, owner.caller, { project, title: undefined })).id,
      remove: (id) => deps.db.delete(chats).where(eq(chats.id, id)),
    };
  },
  async unsent_attachments(deps) {
    const { owner, chatId } = await newChat(deps.db);
    const file = {
      chatId,
      userId: owner.id,
      filePath: "f",
      filename: "f",
      mimeType: "text/plain",
      sizeBytes: 1,
    };
    return {
      make: async () => (await insertAttachment(deps, { ...file, id: newId(), sha256: "0" })).id,
      remove: (id) => deleteUnbound(deps.db, id),
    };
  },
  async templates(deps) {
    const { caller, id: userId } = await newColleague(deps.db);
    const wish = { name: "base", description: "", gitRepoUrl: "https://git.example/a" };
    return {
      make: async () => (await storeGitBase(deps, caller, wish)).id,
      remove: (id) => deleteBaseRow(deps.db, id, userId),
    };
  },
  async model_keys(deps) {
    const { id: userId } = await newColleague(deps.db);
    const values = { provider: "openai", authType: "api_key", encryptedValue: "x", baseUrl: null } as const;
    const key = { ...values, providerMetadata: {}, expiresAt: null };
    const entry = { userId, action: "model_key.created", resourceType: "model_key" };
    return {
      make: async () => {
        const id = newId();
        return (await putKey(deps, { ...key, id, userId, keyName: id }, entry))?.id ?? "";
      },
      remove: (id) => removeKey(deps.db, { userId, id }, entry),
    };
  },
  ...MCP_DRIVERS,
  async model_providers(deps) {
    const { id: userId } = await newColleague(deps.db);
    const provider = { name: "own", baseUrl: "https://models.example", apiType: "openai" } as const;
    const entry = { userId, action: "model_provider.created", resourceType: "model_provider" };
    return {
      make: async () => {
        const id = newId();
        const values = { ...provider, slug: id, defaultHeadersEncrypted: null, availableModels: [] };
        return (await putProvider(deps, { ...values, id, userId }, entry)) ?? "";
      },
      remove: (id) => removeProvider(deps.db, { userId, id }, entry),
    };
  },
  async added_models(deps) {
    const { id: userId } = await newColleague(deps.db);
    return {
      async make() {
        const id = newId();
        const model = { modelId: id, modelName: "own", provider: "openai" };
        await insertModel(deps, { ...model, id, userId, pricingInput: null, pricingOutput: null });
        return id;
      },
      remove: (id) => removeModel(deps.db, userId, id),
    };
  },
  async deployment_credentials(deps) {
    const owner = await newColleague(deps.db);
    const sealed = {
      authType: "token",
      encryptedToken: "x",
      encryptedRefreshToken: null,
      expiresAt: null,
      metadata: {},
      encryptedMetadata: null,
      isStandin: false,
    } as const;
    const stored = new Map<string, NonNullable<Awaited<ReturnType<typeof putCredential>>>>();
    return {
      async make() {
        const { projectId } = await newProject(deps.db, owner);
        const place = { userId: owner.id, provider: "vercel", projectId } as const;
        const credential = await putCredential(deps, place, sealed, { action: "entered", client: CLIENT });
        if (credential) stored.set(projectId, credential);
        return projectId;
      },
      async remove(projectId) {
        const credential = stored.get(projectId);
        if (credential) await deleteCredential(deps.db, credential, CLIENT);
      },
    };
  },
  async teams(deps) {
    const { caller } = await newColleague(deps.db);
    return {
      held: 1,
      make: async () => (await createTeam(deps, caller, { name: "Team" }, CLIENT)).team.id,
      remove: (id) => deleteTeamRow(deps.db, id),
    };
  },
  async shells_of_person(deps) {
    const owner = await newColleague(deps.db);
    const two = [await newProject(deps.db, owner), await newProject(deps.db, owner)];
    let made = 0;
    return shells(deps, () => ({ ...two[(made += 1) % 2], userId: owner.id, chatId: null }));
  },
  async shells_of_project(deps) {
    const { projectId } = await newProject(deps.db);
    const people = [await newColleague(deps.db), await newColleague(deps.db)];
    let made = 0;
    return shells(deps, () => ({ projectId, userId: people[(made += 1) % 2]?.id ?? "", chatId: null }));
  },
  async shells_of_chat(deps) {
    const { owner, projectId, chatId } = await newChat(deps.db);
    return shells(deps, () => ({ projectId, userId: owner.id, chatId }));
  },
  async members(deps) {
    const owner = await newColleague(deps.db);
    const { team } = await createTeam(deps, owner.caller, { name: "Team" }, CLIENT);
    const config = { ...deps.config, PUBLIC_URL: "https://service.test" };
    const wish = { role: "viewer", maxUses: null, days: 1 } as const;
    const { url } = await createLink(
      { db: deps.db, config },
      asMember(owner, team.id, "admin"),
      wish,
      CLIENT,
    );
    return {
      held: 1,
      async make() {
        const { caller, id } = await newColleague(deps.db);
        await acceptInvitation(deps, caller, url.slice(url.lastIndexOf("/") + 1), CLIENT);
        return id;
      },
      remove: (id) => deps.db.delete(teamMemberships).where(eq(teamMemberships.userId, id)),
    };
  },
  async invitation_links({ db, config }) {
    const owner = await newColleague(db);
    const admin = asMember(owner, owner.personalTeamId, "admin");
    const deps = { db, config: { ...config, PUBLIC_URL: "https://service.test" } };
    const wish = { role: "viewer", maxUses: null, days: 1 } as const;
    return {
      make: async () => (await createLink(deps, admin, wish, CLIENT)).invitation.id,
      remove: (id) => revokeInvitationRow(db, owner.personalTeamId, id),
    };
  },
  async agents(deps) {
    const { id: createdBy, personalTeamId: teamId } = await newColleague(deps.db);
    const values = { name: "agent", description: "", systemPrompt: "", model: null, tools: null };
    const entry = { userId: createdBy, teamId, action: "agent.created", resourceType: "agent" };
    return {
      make: async () => {
        const id = newId();
        return (await insertAgent(deps, { ...values, slug: id, id, teamId, createdBy }, entry))?.id ?? "";
      },
      remove: (id) => updateAgentRow(deps.db, { teamId, id }, { isActive: false }, entry),
    };
  },
  async projects({ db, config }) {
    const { caller } = await newColleague(db);
    return {
      make: async () => (await createProject({ db }, caller, EMPTY, config)).id,
      remove: (id) => db.delete(projects).where(eq(projects.id, id)),
    };
  },
  async containers(deps) {
    const { projectId } = await newProject(deps.db);
    return {
      make: async () => {
        const id = newId();
        return (await insertContainer(deps, { id, projectId, name: id, label: id }))?.id ?? "";
      },
      remove: (id) => deps.db.delete(containers).where(eq(containers.id, id)),
    };
  },
  async browser_previews(deps) {
    const { owner, projectId: project } = await newProject(deps.db);
    return {
      make: async () => (await createPreview(deps, owner.caller, project, {})).id,
      remove: (preview) => deletePreview(deps, owner.caller, { project, preview }),
    };
  },
  async unfinished_deployments(deps) {
    const { owner, projectId } = await newProject(deps.db);
    const settings = partOf<DeploymentSettings>({});
    const at = { projectId, containerId: null, userId: owner.id, provider: "vercel" } as const;
    return {
      async make() {
        const site = { ...at, id: newId(), account: "account", isStandin: true, name: "site" };
        const deployment = { id: newId(), userId: owner.id, mode: "pre-built", settings } as const;
        return (await storeDeployment(deps, site, deployment))?.deployment.id ?? "";
      },
      remove: (id) => deps.db.update(deployments).set({ status: "failed" }).where(eq(deployments.id, id)),
    };
  },
};

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";
const secrets = createSecrets(SECRET_KEY);
const queue = { publish: async () => {}, publishBatch: async () => {} };
const EMPTY = { name: "app", description: "", sourceType: "empty" } as const;
let addresses = 0;

async function newProject(db: Db, person?: Colleague) {
  const owner = person ?? (await newColleague(db));
  return { owner, projectId: (await createProject({ db }, owner.caller, EMPTY)).id };
}

async function newChat(db: Db) {
  const project = await newProject(db);
  const chatId = newId();
  const { owner, projectId } = project;
  await db.insert(chats).values({ id: chatId, userId: owner.id, projectId, origin: "browser" });
  return { ...project, chatId };
}

async function channelsBy(deps: Ceiled, inboundMode: "webhook" | "connection"): Promise<Holding> {
  const { id: userId } = await newColleague(deps.db);
  const secret = { encryptedCredentials: "x", encryptedWebhookSecret: "x" };
  const end = { change: { isActive: false }, action: "channel.deleted", fields: [], onlyActive: true };
  return {
    async make() {
      const channel = { id: newId(), userId, channelType: "telegram", name: "bot", inboundMode } as const;
      return (await insertChannel(deps, { ...channel, ...secret }, CLIENT)).id;
    },
    remove: (id) => changeChannel(deps, { userId, id, projectId: null }, end, CLIENT),
  };
}

async function schedulesOf(deps: Ceiled) {
  const { owner, projectId } = await newProject(deps.db);
  const wish = {
    projectId,
    name: "daily",
    schedule: "every 1h",
    timezone: "UTC",
    promptTemplate: "Report",
    agentId: null,
    deliver: "none",
    repeat: null,
    editMode: "allow",
    catchUp: "once",
    overlap: "skip",
    origin: undefined,
  } as const;
  return { caller: owner.caller, make: async () => (await createSchedule(deps, owner.caller, wish)).id };
}

function shells(
  deps: Ceiled,
  place: () => { projectId?: string; userId: string; chatId: string | null },
): Holding {
  return {
    async make() {
      const { projectId = "", ...who } = place();
      const session = { id: newId(), projectId, ...who, command: "sh", workingDir: "/app" };
      return (await insertSession(deps, session)).id;
    },
    remove: (id) => endSession(deps.db, id, { status: "closed", exitCode: 0 }),
  };
}
