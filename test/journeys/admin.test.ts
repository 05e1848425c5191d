import type { api } from "@agent-workspace/client";
import { expect, it } from "vitest";
import { signUpAdministrator } from "#test/support/administrators.ts";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const admin = await signUpAdministrator(service);

type Paged<T extends string, I> = Record<T, I[]> & { total: number; page: number; pages: number };

const as = <T = unknown>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });
const statusOf = async (who: Account, path = "/users/me") => (await as(who, "GET", path)).status;

const list = async <T>(what: string, query: Record<string, string>) =>
  (await as<T>(admin, "GET", `/api/admin/${what}?${new URLSearchParams(query).toString()}`)).body;
const listUsers = (query: Record<string, string>) => list<Paged<"users", api.ListedUser>>("users", query);
const listLogs = (query: Record<string, string>) => list<Paged<"logs", api.AdminAction>>("audit-logs", query);

const logIn = ({ email, password }: Account) =>
  service.call("POST", "/api/auth/login", { json: { email, password } });

const adjust = (who: { id: string }, amount: unknown, reason: unknown = "a gift") =>
  as(admin, "POST", `/api/admin/users/${who.id}/credits/adjust`, { amount, reason });

/** The moment so many days from now. */
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();

const ENDLESS = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });

it("an account by its id is shown to the administrator without anything secret, and changed", async () => {
  const person = await service.signUp();
  const path = `/api/users/${person.id}`;
  const { status, body, text } = await as(admin, "GET", path);
  expect([status, body]).toEqual([200, (await as(person, "GET", "/users/me")).body]);
  expect(text).not.toMatch(/password|\$2/u);
  const change = (json: unknown) => as(admin, "PATCH", path, json);
  expect(await change({ name: "Renamed", is_verified: true })).toMatchObject({
    status: 200,
    body: { id: person.id, name: "Renamed", is_verified: true, is_active: true },
  });
  await change({ is_superuser: true });
  expect(await statusOf(person, `/api/users/${admin.id}`)).toBe(200);
  await change({ is_superuser: false });
  expect(await statusOf(person, `/api/users/${admin.id}`)).toBe(403);
  // None of these changes has ended the session; a new password does.
  expect((await change({ password: "another horse" })).status).toBe(200);
  expect(await statusOf(person)).toBe(401);
  expect((await logIn({ ...person, password: "another horse" })).status).toBe(200);
});

it("disabling an account locks it out at once and ends what its keys have running; enabling lets it in again", async () => {
  const client = await newTaskClient(service);
  const { account } = client;
  const { task_id: taskId } = await client.start(ENDLESS);
  await client.event(taskId, "text_delta");
  const { ended } = await client.watch(taskId);
  const path = `/api/admin/users/${account.id}`;
  expect(await as(admin, "POST", `${path}/disable`, { reason: "left us" })).toMatchObject({
    status: 200,
    body: { success: true, user: { id: account.id, is_active: false } },
  });
  expect([
    await statusOf(account),
    await statusOf({ ...account, token: client.key }, "/api/projects"),
  ]).toEqual([401, 401]);
  expect(await logIn(account)).toMatchObject({ status: 400, body: { detail: "LOGIN_BAD_CREDENTIALS" } });
  expect((await ended).at(-1)?.body).toMatchObject({ type: "done", status: "failed" });
  expect(await as(admin, "POST", `${path}/enable`)).toMatchObject({
    status: 200,
    body: { success: true, user: { is_active: true } },
  });
  expect(await statusOf(account)).toBe(401);
  expect((await logIn(account)).status).toBe(200);
});

it("accounts are found by the letters of their names and by whether they are active, in pages, without kept pictures", async () => {
  const word = `w${crypto.randomUUID().slice(0, 8)}`;
  const people: Account[] = [];
  while (people.length < 3) people.push(await service.signUp(word));
  const [one, two] = people;
  await as(admin, "POST", `/api/admin/users/${one?.id}/disable`, {});
  const all = await listUsers({ search: word.toUpperCase() });
  expect(all).toMatchObject({ total: 3, page: 1, pages: 1 });
  expect(all.users.map(({ id }) => id)).toEqual(people.map(({ id }) => id).toReversed());
  const disabled = await listUsers({ search: word, is_active: "false" });
  expect(disabled.users).toMatchObject([
    { id: one?.id, is_active: false, disabled_at: expect.stringMatching(/Z$/u) },
  ]);
  expect((await listUsers({ search: word, is_active: "true" })).total).toBe(2);
  for (const end of ["%", "_", "\\", "' OR 1=1 --"]) {
    expect((await listUsers({ search: `${word}${end}` })).total).toBe(0);
  }
  const pages = await Promise.all(
    ["1", "2", "3"].map((page) => listUsers({ search: word, page, page_size: "2" })),
  );
  expect(pages.map(({ users, total, pages: count }) => [users.length, total, count])).toEqual([
    [2, 3, 2],
    [1, 3, 2],
    [0, 3, 2],
  ]);
  expect(pages.flatMap(({ users }) => users.map(({ id }) => id))).toEqual(all.users.map(({ id }) => id));
  const json = { avatar_url: "data:image/png;base64,AAAA" };
  await service.call("PATCH", "/api/users/profile", { token: two?.token, json });
  expect((await listUsers({ search: two?.email ?? "" })).users).toMatchObject([{ avatar_url: null }]);
});

it("an administrator's action is recorded with the administrator, the change and the reason, and can be searched", async () => {
  const person = await service.signUp();
  const reason = `because ${crypto.randomUUID()}`;
  await adjust(person, 40, reason);
  await as(admin, "POST", `/api/admin/users/${person.id}/disable`, { reason });
  await as(admin, "PATCH", `/api/users/${person.id}`, { name: "Renamed" });
  await as(admin, "POST", `/api/admin/users/${person.id}/enable`, {});
  await as(admin, "DELETE", `/api/users/${person.id}`);
  const { logs, ...rest } = await listLogs({ search: person.id });
  expect(rest).toEqual({ total: 5, page: 1, pages: 1 });
  expect(logs).toMatchObject(
    ["account.deleted", "account.enabled", "account.updated", "account.disabled", "credits.adjusted"].map(
      (type) => ({
        admin_id: admin.id,
        admin_name: admin.username,
        action_type: type,
        target_type: "user",
        target_id: person.id,
        ip_address: expect.any(String),
        created_at: expect.stringMatching(/Z$/u),
      }),
    ),
  );
  const count = async (query: Record<string, string>) =>
    (await listLogs({ search: person.id, ...query })).total;
  expect(await count({ search: reason })).toBe(2);
  expect((await listLogs({ search: person.id, action_type: "account.disabled" })).logs).toMatchObject([
    { reason, details: { is_active: false } },
  ]);
  expect(await count({ admin_id: admin.id, target_type: "user" })).toBe(5);
  expect(await count({ target_type: "team" })).toBe(0);
  expect((await listLogs({ search: person.id, page: "2", page_size: "4" })).logs).toHaveLength(1);
  expect(await count({ date_from: day(-1), date_to: day(1) })).toBe(5);
  expect(await count({ date_to: day(-1) })).toBe(0);
  expect(await count({ date_from: day(1) })).toBe(0);
  for (const bad of ["2026-02-30", "0000-01-01T00:00:00Z"]) {
    expect(await statusOf(admin, `/api/admin/audit-logs?date_from=${bad}`)).toBe(422);
  }
});
