import type { api } from "@agent-workspace/client";
import { afterAll, expect, it } from "vitest";
import type { Account, ApiAnswer } from "#test/support/api-client.ts";
import { inbox } from "#test/support/inbox.ts";
import { startService } from "#test/support/service.ts";
import { startSmtpServer } from "#test/support/smtp-server.ts";

const smtp = await startSmtpServer();
/** It keeps accounts hidden as in production, and counts in each answer the trips that it took. */
const service = await startService({ ...smtp.variables, REGISTRATION_REVEALS_ACCOUNTS: "false" });
// The first account of an installation is its administrator, and unlike those of strangers.
await service.signUp("administrator");
afterAll(async () => {
  await service.close();
  await smtp.close();
});

const PASSWORD = "a horse of the stranger";
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const newName = () => `n${crypto.randomUUID().slice(0, 12)}`;

const prove = async ({ email, token }: Account) => {
  const link = await inbox(smtp, email, /Confirm your email address/u).link();
  const { status } = await service.call("POST", "/api/auth/verify", { token, json: { token: link.token } });
  expect(status).toBe(200);
};

/** What a response reveals: everything but the texts and numbers that differ in every response. */
function told({ status, headers, body }: ApiAnswer<unknown>) {
  const cookies = headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/=[^;]*/u, "").replace(/Expires=[^;]*/u, ""));
  return { status, headers: [...headers.keys()], cookies, body: status < 400 ? shapeOf(body) : body };
}

function shapeOf(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "number") return typeof value;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

/** All that a stranger can ask about an address without having it, one after the other. */
async function everythingAbout(email: string): Promise<ApiAnswer<unknown>[]> {
  const answers: ApiAnswer<unknown>[] = [];
  // An account that is older than others which asked for the address.
  const { token: older } = await service.signUp("stranger");
  const ask = async <T>(method: string, path: string, request: object): Promise<T> => {
    const answer = await service.call<T>(method, path, request);
    answers.push(answer);
    return answer.body;
  };
  const post = <T>(path: string, json: object, token?: string) => ask<T>("POST", path, { json, token });
  const logIn = (json: object) => post("/api/auth/login", json);

  const username = newName();
  const first = await post<api.RegisteredUser>("/api/auth/register", { email, username, password: PASSWORD });
  const token = first.access_token;
  await ask("GET", "/api/users/me", { token });
  await logIn({ email, password: PASSWORD });
  await logIn({ username, password: PASSWORD });
  await logIn({ email, password: "some other horse" });
  await post("/api/auth/request-verify-token", { email });
  await post("/api/auth/forgot-password", { email });
  // The name is taken by now, as it would be for an address without an account.
  await post("/api/auth/register", { email: newEmail(), username, password: PASSWORD });
  await post("/auth/register", { email, password: "a horse of later" });
  await logIn({ email, password: "a horse of later" });
  await logIn({ email, password: PASSWORD });
  await ask("PATCH", "/api/users/me", { token: older, json: { email } });
  await ask("GET", "/users/me", { token: older });
  await logIn({ email, password: "correct horse" });
  const teams = await service.call<{ slug: string }[]>("GET", "/api/teams", { token: older });
  const team = `/api/teams/${[teams.body].flat()[0]?.slug}`;
  await post(`${team}/invitations`, { email, role: "viewer" }, older);
  await ask("GET", `${team}/members`, { token: older });
  return answers;
}

/** How often the database, the queue and the objects were asked for each answer. */
const trips = (answers: ApiAnswer<unknown>[]) =>
  answers.map(({ headers }) => headers.get("server-timing")?.replaceAll(/dur=[\d.]+/gu, ""));

it("a stranger gets the same responses, after the same work, for an address with and without an account", async () => {
  const ofFree = await everythingAbout(newEmail());
  expect(ofFree[0]).toMatchObject({ status: 201, body: { access_token: expect.any(String) } });
  expect(trips(ofFree)[0]).toMatch(/db/u);
  const verified = await service.signUp("owner");
  await prove(verified);
  const unverified = await service.signUp("owner");
  for (const taken of [verified.email.toUpperCase(), unverified.email]) {
    const ofTaken = await everythingAbout(taken);
    expect(ofTaken.map(told)).toEqual(ofFree.map(told));
    expect(trips(ofTaken)).toEqual(trips(ofFree));
  }
});

it("the owner of an address that a stranger registers is mailed, with a way to a new password", async () => {
  const owner = await service.signUp("owner");
  await prove(owner);
  const { email } = owner;
  await service.call("POST", "/api/auth/register", { json: { email, password: PASSWORD } });
  const { text } = await inbox(smtp, email, /account with this address already/u).next();
  expect(text).toContain("/forgot-password");
});
