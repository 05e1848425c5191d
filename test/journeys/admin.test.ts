import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { newTaskClient, script } from "#test/support/task-client.ts";

let service: TestService;
/** The first account of an installation is its administrator. */
let admin: Account;
beforeAll(async () => {
  service = await startService();
  admin = await service.signUp("first");
});
afterAll(async () => {
  await service.close();
});

interface ListedUser {
  id: string;
  username: string;
  is_active: boolean;
  avatar_url: string | null;
  total_credits: number;
  purchased_credits: number;
  disabled_at: string | null;
}

interface Log {
  admin_id: string;
  admin_name: string;
  action_type: string;
  target_id: string;
  reason: string | null;
}

type Paged<T extends string, I> = Record<T, I[]> & { total: number; page: number; pages: number };

function as<T = unknown>({ token }: Account, method: string, path: string, json?: unknown) {
  return service.call<T>(method, path, { token, ...(json !== undefined && { json }) });
}

const listUsers = async (query: string) =>
  (await as<Paged<"users", ListedUser>>(admin, "GET", `/api/admin/users?${query}`)).body;

const listLogs = async (query: string) =>
  (await as<Paged<"logs", Log>>(admin, "GET", `/api/admin/audit-logs?${query}`)).body;

const logIn = ({ email, password }: Account) =>
  service.call("POST", "/api/auth/login", { json: { email, password } });

const adjust = (who: Account, amount: unknown, reason: unknown = "a gift", by = admin) =>
  as<{ old_balance: number; new_balance: number; detail: string }>(
    by,
    "POST",
    `/api/admin/users/${who.id}/credits/adjust`,
    { amount, reason },
  );

/** The moment so many days from now. */
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();

/** An account as the list shows it. */
async function listed({ email }: Account): Promise<ListedUser> {
  const { users } = await listUsers(new URLSearchParams({ search: email }).toString());
  const [user] = users;
  if (!user || users.length > 1) throw new Error(`${email} is not one account`);
  return user;
}

const ENDLESS = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });

describe("a person who is no administrator", () => {
  it("is refused at every endpoint, and changes nothing", async () => {
    const [person, other] = [await service.signUp(), await service.signUp()];
    const attempts: [method: string, path: string, json?: unknown][] = [
      ["GET", `/api/users/${other.id}`],
      ["PATCH", `/api/users/${other.id}`, { name: "Owned" }],
      ["DELETE", `/api/users/${other.id}`],
      ["PATCH", `/api/users/${person.id}`, { is_superuser: true }],
      ["GET", "/api/admin/users"],
      ["GET", "/api/admin/audit-logs"],
      ["POST", `/api/admin/users/${other.id}/disable`, {}],
      ["POST", `/api/admin/users/${other.id}/enable`, {}],
      ["POST", `/api/admin/users/${person.id}/credits/adjust`, { amount: 1000, reason: "mine" }],
    ];
    for (const [method, path, json] of attempts) {
      expect(await as(person, method, path, json)).toMatchObject({
        status: 403,
        body: { detail: "Forbidden" },
      });
    }
    expect((await as(other, "GET", "/users/me")).body).toMatchObject({ name: other.username });
    expect((await as(person, "GET", "/users/me")).body).toMatchObject({ is_superuser: false });
  });
});

describe("an account by its id", () => {
  it("is shown to the administrator, without anything secret", async () => {
    const person = await service.signUp();
    const { status, body, text } = await as(admin, "GET", `/api/users/${person.id}`);
    expect([status, body]).toEqual([200, (await as(person, "GET", "/users/me")).body]);
    expect(text).not.toMatch(/password|\$2/u);
  });

  it.each(["00000000-0000-7000-8000-000000000000", "abc", "nobody"])(
    "that belongs to no account is not found: %s",
    async (id) => {
      for (const [method, json] of [["GET"], ["PATCH", {}], ["DELETE"]] as const) {
        expect((await as(admin, method, `/api/users/${id}`, json)).status).toBe(404);
      }
    },
  );

  it("stands in no other path's way", async () => {
    for (const path of ["me", "preferences", "profile"]) {
      expect((await as(admin, "GET", `/api/users/${path}`)).status).toBe(200);
      expect((await as(admin, "DELETE", `/api/users/${path}`)).status).toBe(405);
    }
  });

  it("can be changed, under the rules that hold for its owner", async () => {
    const [person, other] = [await service.signUp(), await service.signUp()];
    const change = (json: unknown) => as(admin, "PATCH", `/api/users/${person.id}`, json);
    expect(await change({ name: "Renamed", is_verified: true })).toMatchObject({
      status: 200,
      body: { id: person.id, name: "Renamed", is_verified: true, is_active: true },
    });
    expect(await change({ email: other.email })).toMatchObject({
      status: 400,
      body: { detail: "UPDATE_USER_EMAIL_ALREADY_EXISTS" },
    });
    expect(await change({ username: other.username })).toMatchObject({ status: 409 });
    expect(await change({ password: "12345" })).toMatchObject({ status: 400 });
    expect(await change({ is_active: "yes" })).toMatchObject({ status: 422 });
    // None of these changes has ended the session; a new password does.
    expect((await as(person, "GET", "/users/me")).status).toBe(200);
    expect((await change({ password: "another horse" })).status).toBe(200);
    expect((await as(person, "GET", "/users/me")).status).toBe(401);
    expect((await logIn(person)).status).toBe(400);
    expect((await logIn({ ...person, password: "another horse" })).status).toBe(200);
  });

  it("can be made an administrator and stops being one at once", async () => {
    const person = await service.signUp();
    await as(admin, "PATCH", `/api/users/${person.id}`, { is_superuser: true });
    expect((await as(person, "GET", `/api/users/${admin.id}`)).status).toBe(200);
    await as(admin, "PATCH", `/api/users/${person.id}`, { is_superuser: false });
    expect((await as(person, "GET", `/api/users/${admin.id}`)).status).toBe(403);
  });

  it("is not one's own to disable, delete or strip as the last administrator", async () => {
    const path = `/api/users/${admin.id}`;
    const answers = [
      await as(admin, "PATCH", path, { is_active: false }),
      await as(admin, "PATCH", path, { is_superuser: false }),
      await as(admin, "DELETE", path),
      await as(admin, "POST", `/api/admin/users/${admin.id}/disable`, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
    expect((await as(admin, "GET", path)).body).toMatchObject({ is_active: true, is_superuser: true });
  });
});

describe("disabling an account", () => {
  it("locks it out at once and ends what its keys have running; enabling lets it in again", async () => {
    const client = await newTaskClient(service);
    const { account } = client;
    const { task_id: taskId } = await client.start(ENDLESS);
    await client.event(taskId, "text_delta");
    const watching = client.end(taskId);
    const disabled = await as(admin, "POST", `/api/admin/users/${account.id}/disable`, {
      reason: "left us",
    });
    expect(disabled).toMatchObject({
      status: 200,
      body: { success: true, user: { id: account.id, is_active: false } },
    });
    expect((await as(account, "GET", "/users/me")).status).toBe(401);
    expect((await service.call("GET", "/api/projects", { token: client.key })).status).toBe(401);
    expect(await logIn(account)).toMatchObject({
      status: 400,
      body: { detail: "LOGIN_BAD_CREDENTIALS" },
    });
    expect((await watching).at(-1)?.body).toMatchObject({ type: "done", status: "failed" });

    expect(await as(admin, "POST", `/api/admin/users/${account.id}/enable`)).toMatchObject({
      status: 200,
      body: { success: true, user: { is_active: true } },
    });
    expect((await as(account, "GET", "/users/me")).status).toBe(401);
    expect((await logIn(account)).status).toBe(200);
    expect(await client.status(taskId)).toMatchObject({ status: "failed" });
  });

  it("by PATCH is the same", async () => {
    const person = await service.signUp();
    const { key } = await service.newKey(person.token);
    await as(admin, "PATCH", `/api/users/${person.id}`, { is_active: false });
    expect((await as(person, "GET", "/users/me")).status).toBe(401);
    expect((await service.call("GET", "/api/projects", { token: key })).status).toBe(401);
  });
});

describe("deleting an account", () => {
  it("takes its projects, keys and running tasks along, and frees its names", async () => {
    const client = await newTaskClient(service);
    const { account, projectId } = client;
    const { task_id: taskId } = await client.start(ENDLESS);
    await client.event(taskId, "text_delta");
    const watching = client.end(taskId);
    const gone = await as(admin, "DELETE", `/api/users/${account.id}`);
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await watching).at(-1)?.body).toMatchObject({ type: "done", status: "cancelled" });
    expect((await as(account, "GET", "/users/me")).status).toBe(401);
    expect((await service.call("GET", "/api/projects", { token: client.key })).status).toBe(401);
    expect((await as(admin, "GET", `/api/projects/${projectId}`)).status).toBe(404);
    expect((await as(admin, "DELETE", `/api/users/${account.id}`)).status).toBe(404);
    const { email, username, password } = account;
    const again = await service.call("POST", "/api/auth/register", { json: { email, username, password } });
    expect(again.status).toBe(201);
  });

  it("is refused while others work in its team, and loses nothing", async () => {
    const owner = await service.signUp();
    const project = await service.newProject(owner.token);
    const member = await service.signUp();
    await joinPersonalTeam(owner, member);
    expect(await as(admin, "DELETE", `/api/users/${owner.id}`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Other people") },
    });
    expect((await as(member, "GET", `/api/projects/${project.id}`)).status).toBe(200);
    expect((await as(owner, "GET", "/users/me")).status).toBe(200);
  });
});

/** By a link that the owner hands out. */
async function joinPersonalTeam(owner: Account, member: Account): Promise<void> {
  const { body: teams } = await as<{ slug: string }[]>(owner, "GET", "/api/teams");
  const path = `/api/teams/${teams[0]?.slug}/members/link`;
  const { body: link } = await as<{ invite_url: string }>(owner, "POST", path, { role: "editor" });
  const token = new URL(link.invite_url).pathname.split("/").at(-1);
  const accepted = await as(member, "POST", `/api/teams/invitations/${token}/accept`, {});
  expect(accepted.status).toBe(200);
}

describe("the list of accounts", () => {
  it("finds them by parts of their names, and by whether they are active", async () => {
    const word = `w${crypto.randomUUID().slice(0, 8)}`;
    const people = [await service.signUp(word), await service.signUp(word), await service.signUp(word)];
    const [one, two] = people;
    await as(admin, "POST", `/api/admin/users/${one?.id}/disable`, {});
    const all = await listUsers(`search=${word.toUpperCase()}`);
    expect(all).toMatchObject({ total: 3, page: 1, pages: 1 });
    expect(all.users.map(({ id }) => id)).toEqual(people.map(({ id }) => id).toReversed());
    const disabled = await listUsers(`search=${word}&is_active=false`);
    expect(disabled.users).toMatchObject([
      { id: one?.id, is_active: false, disabled_at: expect.stringMatching(/Z$/u) },
    ]);
    expect((await listUsers(`search=${word}&is_active=true`)).total).toBe(2);
    expect(two && (await listed(two))).toMatchObject({ id: two?.id, disabled_at: null });
  });

  it("takes what is searched for by its letters", async () => {
    for (const search of ["%", "_", "\\", "' OR 1=1 --"]) {
      expect((await listUsers(new URLSearchParams({ search }).toString())).total).toBe(0);
    }
  });

  it("comes in pages", async () => {
    const word = `p${crypto.randomUUID().slice(0, 8)}`;
    const people = await Promise.all(Array.from({ length: 5 }, () => service.signUp(word)));
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => listUsers(`search=${word}&page=${page}&page_size=2`)),
    );
    expect(pages.map(({ users, total, pages: count }) => [users.length, total, count])).toEqual([
      [2, 5, 3],
      [2, 5, 3],
      [1, 5, 3],
      [0, 5, 3],
    ]);
    const seen = pages.flatMap(({ users }) => users.map(({ id }) => id));
    expect(new Set(seen)).toEqual(new Set(people.map(({ id }) => id)));
    for (const bad of ["page_size=201", "page=0", "page=x", "is_active=maybe"]) {
      expect((await as(admin, "GET", `/api/admin/users?${bad}`)).status).toBe(422);
    }
  });

  it("leaves out pictures that are kept in the accounts", async () => {
    const person = await service.signUp();
    const set = (avatar: string) => as(person, "PATCH", "/api/users/profile", { avatar_url: avatar });
    const shown = async () => (await listed(person)).avatar_url;
    await set("data:image/png;base64,AAAA");
    expect(await shown()).toBeNull();
    await set("https://pictures.example/a.png");
    expect(await shown()).toBe("https://pictures.example/a.png");
  });
});

describe("adjusting credits", () => {
  it("returns the total before and after, and is exact for twenty at once", async () => {
    const person = await service.signUp();
    const before = await listed(person);
    const first = await adjust(person, 500);
    expect(first).toMatchObject({
      status: 200,
      body: {
        success: true,
        old_balance: before.total_credits,
        adjustment: 500,
        new_balance: before.total_credits + 500,
        message: expect.any(String),
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => adjust(person, index % 2 === 0 ? 10 : -3)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map(({ body }) => body.new_balance)).size).toBeGreaterThan(10);
    expect((await listed(person)).purchased_credits).toBe(before.purchased_credits + 500 + 70);
  });

  it("subtracts no more than the balance, and refuses an invalid amount", async () => {
    const person = await service.signUp();
    expect(await adjust(person, -1)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("purchased") },
    });
    for (const amount of [0, 1.5, "5", 10_000_001, -10_000_001, null]) {
      expect((await adjust(person, amount)).status).toBe(422);
    }
    for (const reason of ["", "  ", "r".repeat(501), undefined, 1]) {
      expect((await adjust(person, 5, reason ?? null)).status).toBe(422);
    }
    const nobody = { ...person, id: crypto.randomUUID() };
    expect((await adjust(nobody, 5)).status).toBe(404);
    expect((await listed(person)).purchased_credits).toBe(0);
  });
});

describe("an administrator's action", () => {
  it("is recorded with the administrator, the change and the reason, and can be searched", async () => {
    const person = await service.signUp();
    const reason = `because ${crypto.randomUUID()}`;
    await adjust(person, 40, reason);
    await as(admin, "POST", `/api/admin/users/${person.id}/disable`, { reason });
    await as(admin, "PATCH", `/api/users/${person.id}`, { name: "Renamed" });
    await as(admin, "POST", `/api/admin/users/${person.id}/enable`, {});
    await as(admin, "DELETE", `/api/users/${person.id}`);
    const { logs, ...rest } = await listLogs(`search=${person.id}`);
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
    expect((await listLogs(`search=${encodeURIComponent(reason)}`)).total).toBe(2);
    expect((await listLogs(`search=${person.id}&action_type=account.disabled`)).logs).toMatchObject([
      { reason, details: { is_active: false } },
    ]);
    expect((await listLogs(`search=${person.id}&admin_id=${admin.id}&target_type=user`)).total).toBe(5);
    expect((await listLogs(`search=${person.id}&admin_id=${crypto.randomUUID()}`)).total).toBe(0);
    expect((await listLogs(`search=${person.id}&target_type=team`)).total).toBe(0);
    expect((await listLogs(`search=${person.id}&page=2&page_size=4`)).logs).toHaveLength(1);
  });

  it("is found by when it was", async () => {
    const person = await service.signUp();
    await adjust(person, 1);
    const of = async (query: string) => (await listLogs(`search=${person.id}&${query}`)).total;
    expect(await of(`date_from=${day(-1)}&date_to=${day(1)}`)).toBe(1);
    expect(await of(`date_from=${day(-2).slice(0, 10)}`)).toBe(1);
    expect(await of(`date_to=${day(-1)}`)).toBe(0);
    expect(await of(`date_from=${day(1)}`)).toBe(0);
    for (const bad of ["yesterday", "2026-02-30", "0000-01-01T00:00:00Z", "10000-01-01"]) {
      expect((await as(admin, "GET", `/api/admin/audit-logs?date_from=${bad}`)).status).toBe(422);
    }
  });
});
