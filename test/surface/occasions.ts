import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { z } from "zod";
import { jobs, projects } from "#src/db/schema/index.ts";
import { insertBackgroundTask } from "#src/domain/operations/background-tasks/index.ts";
import { browser } from "#test/support/browser.ts";
import type { Account, ApiRequest } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { codeIn, linkIn } from "#test/support/mailbox.ts";
import { failedMessage, newChannelRow, pairingCode } from "#test/support/channels.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import { CHAT_OCCASIONS } from "./chat-occasions.ts";
import { newSharedEstate, type Estate } from "./estate.ts";
import { GIT_OCCASIONS, type GitWorld } from "./git-occasions.ts";
import { HOSTING_OCCASIONS } from "./hosting-occasions.ts";
import { MONEY_OCCASIONS } from "./money-occasions.ts";

/** What a request must hold, or where it must go, to succeed. */
interface Occasion extends ApiRequest {
  at?: SharedService;
  address?: string;
}

interface Scene extends GitWorld {
  service: SharedService;
  /** The same service with two-factor login. */
  twoFactor: () => Promise<SharedService>;
  estate: Estate;
}

const WEBHOOK = "/api/channels/webhook/{type}/{config_id}";

/** A callback that was given up, of a task that is gone. Returns its key. */
async function failedJob({ service }: Scene): Promise<string> {
  const key = crypto.randomUUID();
  const payload = { taskId: key };
  await databaseOf(service)
    .insert(jobs)
    .values({ kind: "deliver-callback", key, payload, failedAt: new Date() });
  return key;
}

/** Slack alone is answered before it has signed anything, when the address is entered there. */
async function webhookOfSlack({ service, estate }: Scene): Promise<Occasion> {
  const slack = {
    channelType: "slack",
    credentials: { bot_token: "xoxb-1", signing_secret: "secret" },
  } as const;
  return { address: `/api/channels/webhook/slack/${await newChannelRow(service, estate.owner.id, slack)}` };
}

/** Preparations for the operations that need more than a valid request to succeed. */
export const OCCASIONS: Record<string, (scene: Scene) => Promise<Occasion> | Occasion> = {
  ...GIT_OCCASIONS,
  ...CHAT_OCCASIONS,
  ...HOSTING_OCCASIONS,
  ...MONEY_OCCASIONS,
  "POST /api/projects/{project}/begin-anew": async ({ service, estate }) => {
    const { id } = await service.newProject(estate.owner.token);
    await databaseOf(service).update(projects).set({ lostAt: new Date() }).where(eq(projects.id, id));
    return { address: `/api/projects/${id}/begin-anew`, json: { from: "empty" } };
  },
  "POST /api/auth/register": () => ({
    json: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse" },
  }),
  "POST /api/auth/login": ({ estate }) => ({ json: estate.owner }),
  "POST /api/auth/jwt/login": ({ estate }) => ({ form: formOf(estate.owner) }),
  "POST /api/auth/cookie/login": ({ estate }) => ({ form: formOf(estate.owner) }),
  "POST /api/auth/refresh": async ({ service, estate }) => {
    const own = browser(service);
    await own.call("POST", "/api/auth/login", { json: estate.owner });
    return { headers: { cookie: `refresh_token=${own.cookies.get("refresh_token")}` } };
  },
  "POST /api/auth/2fa/send": async ({ twoFactor }) => {
    const at = await twoFactor();
    const { temp_token } = await awaitsCode(at);
    return { at, json: { temp_token } };
  },
  "POST /api/auth/2fa/verify": async ({ twoFactor }) => {
    const at = await twoFactor();
    const { temp_token, account } = await awaitsCode(at);
    const code = codeIn(await mailTo(at, account.email, /code/iu));
    return { at, json: { temp_token, code } };
  },
  "POST /api/auth/reset-password": async ({ service, estate }) => {
    const { email } = estate.owner;
    await service.call("POST", "/api/auth/forgot-password", { json: { email } });
    const { token } = linkIn(await mailTo(service, email, /password/iu));
    return { json: { token, password: "another horse" } };
  },
  "POST /api/auth/verify": async ({ service, estate }) => {
    const { token } = linkIn(await mailTo(service, estate.owner.email, /verif|confirm|address/iu));
    return { json: { token } };
  },
  "GET /api/auth/{provider}/callback": async ({ service }) => {
    const own = browser(service);
    const begun = await own.call<{ authorization_url: string }>("GET", "/api/auth/github/authorize");
    const state = new URL(begun.body.authorization_url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, error: "access_denied" });
    return {
      address: `/api/auth/github/callback?${query}`,
      headers: { cookie: `oauth_state=${own.cookies.get("oauth_state")}` },
    };
  },
  "GET /api/previews/enter": () => ({
    address: `/api/previews/enter?${new URLSearchParams({ host: "app-abc123--web.localhost", nonce: "kept" })}`,
  }),
  "GET /api/auth/verify-access": ({ estate }) => ({
    headers: { authorization: `Bearer ${estate.owner.token}`, "x-expected-user-id": estate.owner.id },
  }),
  "POST /api/desktop/pair/exchange": async ({ service, estate }) => {
    const { body } = await service.call<{ pairing_token: string }>("POST", "/api/desktop/pair", {
      token: estate.owner.token,
      json: {},
    });
    return { json: { token: body.pairing_token, device_name: "desk" } };
  },
  "POST /api/auth/device/token": async (scene) => {
    const { device_code, user_code } = await newDeviceSignIn(scene);
    await decideDevice(scene, user_code);
    return { json: { device_code } };
  },
  "POST /api/auth/device/refresh": async (scene) => {
    const { device_code, user_code } = await newDeviceSignIn(scene);
    await decideDevice(scene, user_code);
    const json = { device_code };
    const { body } = await scene.service.call<{ refresh_token: string }>("POST", "/api/auth/device/token", {
      json,
    });
    return { json: { refresh_token: body.refresh_token } };
  },
  "POST /api/auth/device/lookup": async (scene) => {
    const { user_code } = await newDeviceSignIn(scene);
    return { json: { user_code } };
  },
  "POST /api/auth/device/decide": async (scene) => {
    const { user_code } = await newDeviceSignIn(scene);
    return { json: { user_code, decision: "deny" } };
  },
  "POST /api/teams/invitations/{token}/accept": async ({ service }) => ({
    token: (await service.signUp("guest")).token,
  }),
  "POST /api/admin/jobs/{job_kind}/{job}/retry": async (scene) => ({
    address: `/api/admin/jobs/deliver-callback/${await failedJob(scene)}/retry`,
  }),
  "POST /api/admin/jobs/{job_kind}/retry": async (scene) => {
    await failedJob(scene);
    return {};
  },
  "DELETE /api/admin/jobs/{job_kind}/{job}": async (scene) => ({
    address: `/api/admin/jobs/deliver-callback/${await failedJob(scene)}`,
  }),
  "DELETE /api/teams/{team}": async ({ service, estate }) => {
    const { body } = await service.call<{ slug: string }>("POST", "/api/teams", {
      token: estate.owner.token,
      json: { name: "Short-lived" },
    });
    return { address: `/api/teams/${body.slug}` };
  },
  "POST /api/projects/{project}/members": ({ estate }) => ({
    json: { email: estate.owner.email, role: "admin" },
  }),
  "DELETE /api/tasks/{background_task}": async ({ service, estate }) => {
    // No worker runs it, so that it is still open when it is cancelled.
    const id = crypto.randomUUID();
    const task = { id, userId: estate.owner.id, projectId: String(estate.samples["project"]) };
    await insertBackgroundTask(databaseOf(service), { ...task, type: "container_start", status: "queued" });
    return { address: `/api/tasks/${id}` };
  },
  "PUT /api/projects/{project}/containers/{container}/credentials": async ({ service, estate }) => {
    const project = `/api/projects/${String(estate.samples["project"])}`;
    const external = { deployment_mode: "external", external_endpoint: "https://service.example" };
    const { body } = await service.call<{ container: { id: string } }>("POST", `${project}/containers`, {
      token: estate.owner.token,
      json: external,
    });
    const json = { credentials: { TOKEN: "secret" } };
    return { address: `${project}/containers/${body.container.id}/credentials`, json };
  },
  // The two blocks of zeros that every tar archive ends with.
  "POST /api/bases": () => ({ address: "/api/bases?name=Empty", body: new Uint8Array(1024) }),
  "POST /api/v1/chat/completions": () => ({
    json: { model: "demo", stream: false, messages: [{ role: "user", content: "hello" }] },
  }),
  [`GET ${WEBHOOK}`]: webhookOfSlack,
  [`POST ${WEBHOOK}`]: async (scene) => ({
    ...(await webhookOfSlack(scene)),
    json: { type: "url_verification", challenge: "a challenge" },
  }),
  "POST /api/channels/{channel}/messages/{channel_message}/retry": async ({ service, estate }) => {
    const channel = await newChannelRow(service, estate.owner.id);
    return { address: `/api/channels/${channel}/messages/${await failedMessage(service, channel)}/retry` };
  },
  "POST /api/gateway/pair/preview": async (scene) => ({ json: await newPairing(scene) }),
  "POST /api/gateway/pair/verify": async (scene) => ({ json: await newPairing(scene) }),
  "POST /api/teams/{team}/leave": async ({ service }) => {
    const { viewer, samples } = await newSharedEstate(service);
    return { address: `/api/teams/${String(samples["team"])}/leave`, token: viewer.token };
  },
};

/** A code that was given in the estate's channel and is not used yet. */
const newPairing = async ({ service, estate }: Scene) => ({
  platform: "telegram",
  pairing_code: await pairingCode(service, String(estate.samples["channel"])),
});

/** The form of an OAuth2 client. */
const formOf = ({ email, password }: Account) => ({ username: email, password });

/** A new account whose password was accepted and whose code is on its way. */
async function awaitsCode(service: SharedService) {
  const account = await service.signUp();
  const { body } = await service.call<{ temp_token: string }>("POST", "/api/auth/login", { json: account });
  return { account, temp_token: body.temp_token };
}

const Mails = z.array(z.looseObject({ subject: z.string(), text: z.string() }));

/** The text of a mail that the service's own catcher keeps; waits for it. */
async function mailTo(service: SharedService, address: string, subject: RegExp): Promise<string> {
  const url = `${service.stack.mailUrl}/?to=${encodeURIComponent(address)}`;
  return vi.waitUntil(
    async () => {
      const mails = Mails.parse(await (await fetch(url)).json());
      return mails.findLast((mail) => subject.test(mail.subject))?.text;
    },
    { interval: 100 },
  );
}

/** A program that waits for a person. */
async function newDeviceSignIn({ service }: Scene): Promise<{ device_code: string; user_code: string }> {
  const json = { client_name: "cli" };
  const { body } = await service.call<{ device_code: string; user_code: string }>(
    "POST",
    "/api/auth/device/code",
    { json },
  );
  return body;
}

async function decideDevice({ service, estate }: Scene, user_code: string): Promise<void> {
  await service.call("POST", "/api/auth/device/decide", {
    token: estate.owner.token,
    json: { user_code, decision: "approve" },
  });
}
