import { beforeAll, describe, expect, it } from "vitest";
import { signUpAdministrator } from "#test/support/administrators.ts";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
let admin: Account;
beforeAll(async () => {
  admin = await signUpAdministrator(service);
});

interface ListedUser {
  id: string;
  avatar_url: string | null;
  total_credits: number;
  purchased_credits: number;
  disabled_at: string | null;
}

interface Log {
  admin_id: string;
  action_type: string;
}

type Paged<T extends string, I> = Record<T, I[]> & { total: number; page: number; pages: number };

const as = <T = unknown>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });
const statusOf = async (who: Account, path = "/users/me") => (await as(who, "GET", path)).status;

const listUsers = async (query: Record<string, string>) =>
  (
    await as<Paged<"users", ListedUser>>(
      admin,
      "GET",
      `/api/admin/users?${new URLSearchParams(query).toString()}`,
    )
  ).body;
const listLogs = async (query: Record<string, string>) =>
  (
    await as<Paged<"logs", Log>>(
      admin,
      "GET",
      `/api/admin/audit-logs?${new URLSearchParams(query).toString()}`,
    )
  ).body;

const logIn = ({ email, password }: Account) =>
  service.call("POST", "/api/auth/login", { json: { email, password } });

const adjust = (who: { id: string }, amount: unknown, reason: unknown = "a gift") =>
  as(admin, "POST", `/api/admin/users/${who.id}/credits/adjust`, { amount, reason });

/** The moment so many days from now. */
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();

const ENDLESS = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });

describe("an account by its id", () => {
  it("is shown to the administrator without anything secret, and changed under the rules that hold for its owner", async () => {
    const [person, other] = [await service.signUp(), await service.signUp()];
    const path = `/api/users/${person.id}`;
    const { status, body, text } = await as(admin, "GET", path);
    expect([status, body]).toEqual([200, (await as(person, "GET", "/users/me")).body]);
    expect(text).not.toMatch(/password|\$2/u);
    const change = (json: unknown) => as(admin, "PATCH", path, json);
    expect(await change({ name: "Renamed", is_verified: true })).toMatchObject({
      status: 200,
      body: { id: person.id, name: "Renamed", is_verified: true, is_active: true },
    });
    expect(await change({ email: other.email })).toMatchObject({
      status: 400,
      body: { detail: "UPDATE_USER_EMAIL_ALREADY_EXISTS" },
    });
    expect(await change({ is_active: "yes" })).toMatchObject({ status: 422 });
    await change({ is_superuser: true });
    expect(await statusOf(person, `/api/users/${admin.id}`)).toBe(200);
    await change({ is_superuser: false });
    expect(await statusOf(person, `/api/users/${admin.id}`)).toBe(403);
    // None of these changes has ended the session; a new password does.
    expect((await change({ password: "another horse" })).status).toBe(200);
    expect(await statusOf(person)).toBe(401);
    expect((await logIn({ ...person, password: "another horse" })).status).toBe(200);
  });

  it("is not found where it belongs to no account, stands in no other path's way, and is not one's own to disable", async () => {
    for (const id of ["00000000-0000-7000-8000-000000000000", "nobody"]) {
      for (const [method, json] of [["GET"], ["PATCH", {}], ["DELETE"]] as const) {
        expect((await as(admin, method, `/api/users/${id}`, json)).status).toBe(404);
      }
    }
    for (const path of ["me", "preferences", "profile"]) {
      expect(await statusOf(admin, `/api/users/${path}`)).toBe(200);
      expect((await as(admin, "DELETE", `/api/users/${path}`)).status).toBe(405);
    }
    const path = `/api/users/${admin.id}`;
    expect((await as(admin, "PATCH", path, { is_active: false })).status).toBe(409);
    expect((await as(admin, "DELETE", path)).status).toBe(409);
    expect((await as(admin, "POST", `/api/admin/users/${admin.id}/disable`, {})).status).toBe(409);
  });
});

describe("an account's end", () => {
  it("by disabling locks it out at once and ends what its keys have running; enabling lets it in again", async () => {
    const client = await newTaskClient(service);
    const { account } = client;
    const { task_id: taskId } = await client.start(ENDLESS);
    await client.event(taskId, "text_delta");
    const watching = client.end(taskId);
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
    expect((await watching).at(-1)?.body).toMatchObject({ type: "done", status: "failed" });
    expect(await as(admin, "POST", `${path}/enable`)).toMatchObject({
      status: 200,
      body: { success: true, user: { is_active: true } },
    });
    expect(await statusOf(account)).toBe(401);
    expect((await logIn(account)).status).toBe(200);
  });

  it("by deleting takes its projects, keys and running tasks along, and frees its names", async () => {
    const client = await newTaskClient(service);
    const { account, projectId } = client;
    const { task_id: taskId } = await client.start(ENDLESS);
    await client.event(taskId, "text_delta");
    const watching = client.end(taskId);
    const gone = await as(admin, "DELETE", `/api/users/${account.id}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await watching).at(-1)?.body).toMatchObject({ type: "done", status: "cancelled" });
    expect([
      await statusOf(account),
      await statusOf({ ...account, token: client.key }, "/api/projects"),
    ]).toEqual([401, 401]);
    expect(await statusOf(admin, `/api/projects/${projectId}`)).toBe(404);
    expect((await as(admin, "DELETE", `/api/users/${account.id}`)).status).toBe(404);
    const { email, username, password } = account;
    const again = await service.call("POST", "/api/auth/register", { json: { email, username, password } });
    expect(again.status).toBe(201);
  });
});

describe("the list of accounts", () => {
  it("finds them by the letters of their names and by whether they are active, in pages, without kept pictures", async () => {
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
    for (const bad of ["page_size=201", "page=0", "is_active=maybe"]) {
      expect(await statusOf(admin, `/api/admin/users?${bad}`)).toBe(422);
    }
    for (const [avatar_url, shown] of [
      ["data:image/png;base64,AAAA", null],
      ["https://pictures.example/a.png", "https://pictures.example/a.png"],
    ]) {
      await service.call("PATCH", "/api/users/profile", { token: two?.token, json: { avatar_url } });
      expect((await listUsers({ search: two?.email ?? "" })).users).toMatchObject([{ avatar_url: shown }]);
    }
  });
});

it("adjusting credits returns the total before and after, and refuses an invalid amount", async () => {
  const person = await service.signUp();
  const listed = async () => (await listUsers({ search: person.email })).users[0];
  const before = (await listed())?.total_credits ?? 0;
  expect(await adjust(person, 500)).toMatchObject({
    status: 200,
    body: {
      success: true,
      old_balance: before,
      adjustment: 500,
      new_balance: before + 500,
      message: expect.any(String),
    },
  });
  expect(await adjust(person, -501)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("purchased") },
  });
  for (const amount of [0, 1.5, "5", 10_000_001]) expect((await adjust(person, amount)).status).toBe(422);
  for (const reason of ["  ", "r".repeat(501), null]) {
    expect((await adjust(person, 5, reason)).status).toBe(422);
  }
  expect((await adjust({ id: crypto.randomUUID() }, 5)).status).toBe(404);
  expect(await listed()).toMatchObject({ purchased_credits: 500 });
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
  expect(await count({ admin_id: crypto.randomUUID() })).toBe(0);
  expect(await count({ target_type: "team" })).toBe(0);
  expect((await listLogs({ search: person.id, page: "2", page_size: "4" })).logs).toHaveLength(1);
  expect(await count({ date_from: day(-1), date_to: day(1) })).toBe(5);
  expect(await count({ date_from: day(-2).slice(0, 10) })).toBe(5);
  expect(await count({ date_to: day(-1) })).toBe(0);
  expect(await count({ date_from: day(1) })).toBe(0);
  for (const bad of ["yesterday", "2026-02-30", "0000-01-01T00:00:00Z", "10000-01-01"]) {
    expect(await statusOf(admin, `/api/admin/audit-logs?date_from=${bad}`)).toBe(422);
  }
});
