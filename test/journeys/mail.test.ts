import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const NEW = "another horse";

let smtp: TestSmtpServer;
let service: TestService;
beforeAll(async () => {
  smtp = await startSmtpServer({ login: { username: "user", password: "pä:ss wörd" } });
  service = await startService({ TWO_FA_ENABLED: "true", ...smtp.variables });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

interface LoginObject {
  temp_token: string | null;
  detail?: string;
}

const post = <T = unknown>(path: string, json: unknown) => service.call<T>("POST", path, { json });
const logIn = ({ email, password }: Account) => post<LoginObject>("/api/auth/login", { email, password });
const verify = (temp_token: string | null, code: string) =>
  post("/api/auth/2fa/verify", { temp_token, code });
const forget = (email: string) => post("/api/auth/forgot-password", { email });

const confirmations = ({ email }: Account) => inbox(smtp, email, /Confirm your email address/u);
const codesOf = ({ email }: Account) => inbox(smtp, email, /login code/u);

/** All that lets a stranger tell two responses apart, with the trips to database, queue and objects in a header. */
function shown({ status, headers, text }: ApiAnswer<unknown>) {
  const of = new Map(headers);
  for (const name of ["date", "x-request-id"]) of.delete(name);
  return { status, text, headers: [...of] };
}

/** Nothing of these is in the service's log, which has all requests so far. */
async function expectNotLogged(secrets: readonly string[], patterns: readonly RegExp[]): Promise<string> {
  const last = await service.call("GET", "/health");
  const log = await vi.waitUntil(async () => {
    const written = await readFile(service.stack.logFile, "utf8");
    return written.includes(last.headers.get("x-request-id") ?? "-") && written;
  });
  for (const secret of secrets) expect(log).not.toContain(secret);
  for (const pattern of patterns) expect(log).not.toMatch(pattern);
  return log;
}

it("a mail reaches the mail server that the service logs in to, later where that hung up in between", async () => {
  const ann = await service.signUp();
  expect(await confirmations(ann).next()).toMatchObject({
    from: "sender@service.test",
    user: "user",
    text: expect.stringContaining(`${service.url}/verify-email?token=`),
  });
  smtp.hangUp(1);
  const bob = await service.signUp();
  // The second attempt comes after 5 seconds.
  const { token } = await confirmations(bob).link();
  expect((await post("/api/auth/verify", { token })).status).toBe(200);
  expect((await fetch(`${service.url}/ready`)).status).toBe(200);
});

it("while the mail server is away, callers are told; what they asked for comes later and is good, and no secret is logged", async () => {
  const [ann, bob, cat] = [await service.signUp(), await service.signUp(), await service.signUp()];
  const team = await newTeamClient(service);
  for (const account of [ann, bob, cat, team.owner]) await confirmations(account).next();
  const begun = await logIn(bob);
  const first = await codesOf(bob).code();

  await smtp.down();
  const email = `patient-${crypto.randomUUID()}@example.com`;
  const [login, sent, late, known, unknown, invited] = await Promise.all([
    logIn(ann),
    post("/api/auth/2fa/send", { temp_token: begun.body.temp_token }),
    service.signUp(),
    forget(cat.email),
    forget(`${crypto.randomUUID()}@example.com`),
    team.asOwner("POST", "/members/invite", { email, role: "viewer" }),
  ]);
  await smtp.up();
  expect(login).toMatchObject({
    status: 503,
    body: { access_token: null, requires_2fa: true, detail: expect.stringContaining("being retried") },
  });
  expect(login.headers.getSetCookie()).toEqual([]);
  expect(sent).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining("being retried") },
  });
  expect(known).toMatchObject({ status: 503, body: { detail: expect.stringContaining("mail server") } });
  expect(shown(known)).toEqual(shown(unknown));
  expect(invited).toMatchObject({ status: 201, body: { mail: "retrying" } });

  const code = await codesOf(ann).code();
  expect((await verify(login.body.temp_token, code)).status).toBe(200);
  const second = await vi.waitUntil(() => smtp.mails.filter(({ to }) => to.includes(bob.email))[2]);
  expect((await verify(begun.body.temp_token, /^\d{6}$/mu.exec(second.text)?.[0] ?? "")).status).toBe(200);
  const confirmation = await confirmations(late).link();
  expect((await post("/api/auth/verify", { token: confirmation.token })).status).toBe(200);
  const reset = await inbox(smtp, cat.email, /Reset your password/u).link();
  expect((await post("/api/auth/reset-password", { token: reset.token, password: NEW })).status).toBe(200);
  expect((await smtp.mailTo(email)).text).toContain("/invite/");

  const codes = [first, code].map((each) => new RegExp(`(?<![\\w.-])${each}(?![\\w.-])`, "u"));
  const tokens = [login.body.temp_token ?? "-", confirmation.token, reset.token];
  const log = await expectNotLogged([...tokens, cat.email, email, NEW, "wörd"], codes);
  expect(log).toContain("mail was not delivered");
});
