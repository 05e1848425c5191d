import { beforeAll, describe, expect, it } from "vitest";
import { insertAuditEntry } from "#src/domain/organisations/audit/index.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { newTrips } from "#src/platform/trips.ts";
import type { Account } from "#test/support/api-client.ts";
import { readCsv } from "#test/support/csv.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
let db: Db;
beforeAll(async () => {
  const { DATABASE_URL = "", NEON_HTTP_URL } = service.stack.variables;
  db = createDb({ databaseUrl: DATABASE_URL, httpUrl: NEON_HTTP_URL, trips: newTrips() });
});

interface Entry {
  id: string;
  user_id: string | null;
  user_name: string | null;
  action: string;
  resource_type: string;
  created_at: string;
}

interface Team {
  id: string;
  slug: string;
}

const as = <T = unknown>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });

async function personalTeam(owner: Account): Promise<Team> {
  const { body } = await as<Team[]>(owner, "GET", "/api/teams");
  const [team] = body;
  if (!team) throw new Error("There is no personal team");
  return team;
}

async function newMember(owner: Account, team: Team, role: "admin" | "editor" | "viewer"): Promise<Account> {
  const member = await service.signUp(role);
  const path = `/api/teams/${team.slug}/members/link`;
  const { body: link } = await as<{ invite_url: string }>(owner, "POST", path, { role });
  const token = new URL(link.invite_url).pathname.split("/").at(-1);
  const accepted = await as(member, "POST", `/api/teams/invitations/${token}/accept`, {});
  expect(accepted.status).toBe(200);
  return member;
}

const read = (who: Account, { slug }: Team, query = "") =>
  as<Entry[]>(who, "GET", `/api/teams/${slug}/audit-log?${query}`);

const exported = (who: Account, { slug }: Team, filter: unknown = {}) =>
  as<string>(who, "POST", `/api/teams/${slug}/audit-log/export`, filter);

/** The moment so many days from now. */
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();

describe("the audit log of a team", () => {
  it("lists person, action and address of each entry, newest first", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const { id: keyId } = await service.newKey(owner.token);
    const project = await service.newProject(owner.token, "Engine");
    await as(owner, "PATCH", `/api/projects/${project.id}`, { visibility: "private" });
    const { status, headers, body } = await read(owner, team);
    expect([status, headers.get("x-total-count")]).toEqual([200, String(body.length)]);
    const common = {
      team_id: team.id,
      user_id: owner.id,
      user_name: owner.username,
      ip_address: "127.0.0.1",
      user_agent: "node",
    };
    expect(body).toMatchObject([
      {
        ...common,
        action: "project.visibility_changed",
        resource_type: "project",
        resource_id: project.id,
        project_id: project.id,
        project_name: "Engine",
        details: { from: "team", to: "private" },
      },
      { ...common, action: "api_key.created", resource_id: keyId, project_id: null, project_name: null },
      { ...common, action: "session.started", created_at: expect.stringMatching(/Z$/u) },
    ]);
    expect(body.map(({ id }) => id)).toEqual(
      body
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  });

  it("is read and exported by its administrators alone", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const admin = await newMember(owner, team, "admin");
    expect((await read(admin, team)).status).toBe(200);
    expect((await exported(admin, team)).status).toBe(200);
    for (const role of ["editor", "viewer"] as const) {
      const member = await newMember(owner, team, role);
      expect(await read(member, team)).toMatchObject({
        status: 403,
        body: { detail: `Role '${role}' does not have permission 'audit.view'` },
      });
      expect((await exported(member, team)).status).toBe(403);
    }
    const stranger = await service.signUp();
    expect((await read(stranger, team)).status).toBe(404);
    expect((await exported(stranger, team)).status).toBe(404);
    const { key } = await service.newKey(owner.token);
    expect((await read({ ...owner, token: key }, team)).status).toBe(401);
  });

  it("is searched by person, action, resource and time", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const editor = await newMember(owner, team, "editor");
    const project = await service.newProject(owner.token);
    for (const visibility of ["private", "team"]) {
      await as(owner, "PATCH", `/api/projects/${project.id}`, { visibility });
    }
    const count = async (query: string) => {
      const { body, headers } = await read(owner, team, query);
      expect(headers.get("x-total-count")).toBe(String(body.length));
      return body.length;
    };
    const all = await count("");
    const changes = { action: "project.visibility_changed", project_id: project.id };
    expect(await count(new URLSearchParams(changes).toString())).toBe(2);
    expect(await count(`project_id=${project.id}`)).toBe(2);
    expect(await count("resource_type=project")).toBe(2);
    expect(await count("action=project")).toBe(0);
    const byEditor = await count(`user_id=${editor.id}`);
    const byOwner = await count(`user_id=${owner.id}`);
    expect([byEditor, byOwner + byEditor]).toEqual([expect.any(Number), all]);
    expect(byEditor).toBeGreaterThan(0);
    expect(await count(`from_date=${day(-1)}&to_date=${day(1)}`)).toBe(all);
    expect(await count(`from_date=${day(-1).slice(0, 10)}`)).toBe(all);
    expect(await count(`to_date=${day(-1)}`)).toBe(0);
    expect(await count(`from_date=${encodeURIComponent(day(1))}`)).toBe(0);
    expect(await count(`user_id=${crypto.randomUUID()}`)).toBe(0);
    for (const bad of ["user_id=x", "project_id=x", "from_date=x", "per_page=101", "page=0"]) {
      expect((await read(owner, team, bad)).status).toBe(422);
    }
  });

  it("comes in pages that hold every entry once", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    for (let entry = 1; entry <= 24; entry += 1) {
      await insertAuditEntry(db, { userId: owner.id, action: "test.done", resourceType: "test" });
    }
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => read(owner, team, `page=${page}&per_page=10`)),
    );
    expect(pages.map(({ body, headers }) => [body.length, headers.get("x-total-count")])).toEqual([
      [10, "25"],
      [10, "25"],
      [5, "25"],
      [0, "25"],
    ]);
    expect(new Set(pages.flatMap(({ body }) => body.map(({ id }) => id))).size).toBe(25);
  });

  it("keeps the entries of a person whose account is gone", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const member = await newMember(owner, team, "editor");
    const { rows } = await db.execute(`DELETE FROM users WHERE id = '${member.id}' RETURNING id`);
    expect(rows).toHaveLength(1);
    const { body } = await read(owner, team, "action=member.joined");
    expect(body).toMatchObject([{ user_id: null, user_name: null, resource_type: expect.any(String) }]);
  });
});

const readOf = (who: Account, { slug }: Team, project: string, query = "") =>
  as<Entry[]>(who, "GET", `/api/teams/${slug}/projects/${project}/audit-log?${query}`);

describe("the audit log of a project", () => {
  it("is open to every member who may see the project, and to no other person", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const project = await service.newProject(owner.token);
    const other = await service.newProject(owner.token);
    const viewer = await newMember(owner, team, "viewer");
    for (const { id } of [project, other]) {
      for (const visibility of ["public", "team"])
        await as(owner, "PATCH", `/api/projects/${id}`, { visibility });
    }
    for (const name of [project.id, project.slug]) {
      const { status, headers, body } = await readOf(viewer, team, name);
      expect([status, headers.get("x-total-count"), body.length]).toEqual([200, "2", 2]);
      expect(body).toMatchObject([{ project_id: project.id }, { project_id: project.id }]);
    }
    expect((await readOf(viewer, team, project.id, "per_page=1")).body).toHaveLength(1);
    expect((await readOf(viewer, team, project.id, `project_id=${other.id}`)).body).toMatchObject([
      { project_id: project.id },
      { project_id: project.id },
    ]);
    const stranger = await service.signUp();
    expect((await readOf(stranger, team, project.id)).status).toBe(404);
    await as(owner, "PATCH", `/api/projects/${project.id}`, { visibility: "private" });
    expect((await readOf(viewer, team, project.id)).status).toBe(404);
    expect((await readOf(owner, team, project.id)).body).toHaveLength(3);
  });

  it("is not reached through another team", async () => {
    const [owner, other] = [await service.signUp(), await service.signUp()];
    const [team, foreign] = [await personalTeam(owner), await personalTeam(other)];
    const project = await service.newProject(owner.token);
    const member = await newMember(owner, team, "viewer");
    expect((await readOf(member, await personalTeam(member), project.id)).status).toBe(404);
    expect((await readOf(other, foreign, project.id)).status).toBe(404);
  });
});

describe("an export of the audit log", () => {
  it("is exported as a CSV file with the same entries, and the export is in the log", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    await service.newKey(owner.token);
    const { body: entries } = await read(owner, team);
    const { status, headers, text } = await exported(owner, team);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="audit-log-${team.slug}.csv"`);
    expect(headers.get("x-total-count")).toBe(String(entries.length));
    const [columns = [], ...rows] = readCsv(text);
    const inColumns = (entry: object) =>
      columns.map((name) => {
        const value: unknown = Reflect.get(entry, name);
        if (value === null) return "";
        return typeof value === "string" ? value : JSON.stringify(value);
      });
    expect(columns.toSorted()).toEqual(Object.keys(entries[0] ?? {}).toSorted());
    expect(rows).toEqual(entries.map(inColumns));
    const { body: later } = await read(owner, team, "action=audit.exported");
    expect(later).toMatchObject([{ user_id: owner.id, details: { rows: entries.length } }]);
  });

  it("holds only what was asked for", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    await service.newKey(owner.token);
    const rowsOf = async (filter: unknown) => readCsv((await exported(owner, team, filter)).text).length - 1;
    expect(await rowsOf({ action: "api_key.created" })).toBe(1);
    expect(await rowsOf({ action: "nothing.such" })).toBe(0);
    expect(await rowsOf({ to_date: day(-1) })).toBe(0);
    expect((await exported(owner, team, { user_id: "x" })).status).toBe(422);
    const withoutBody = await as(owner, "POST", `/api/teams/${team.slug}/audit-log/export`);
    expect(withoutBody.status).toBe(200);
  });

  it("runs nothing in a spreadsheet, whatever people call themselves", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    const names = ['=HYPERLINK("http://evil.example","a")', "+1", "-1", "@SUM(A1)", 'a "b", c\nd'];
    for (const name of names) {
      const member = await newMember(owner, team, "viewer");
      expect((await as(member, "PATCH", "/users/me", { name })).status).toBe(200);
    }
    const { text } = await exported(owner, team, { action: "member.joined" });
    const [columns = [], ...rows] = readCsv(text);
    const shown = rows.map((row) => row[columns.indexOf("user_name")]);
    expect(shown).toEqual(names.toReversed().map((name) => (/^[=+\-@]/u.test(name) ? `'${name}` : name)));
    expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/u.test(cell))).toEqual([]);
  });

  it("ends at ten thousand rows, the newest ones", async () => {
    const owner = await service.signUp();
    const team = await personalTeam(owner);
    await db.execute(`
      INSERT INTO audit_log (id, team_id, action, resource_type, resource_id)
      SELECT ('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '${team.id}', 'test.done', 'test', n::text
      FROM generate_series(1, 10050) AS n`);
    const { headers, text } = await exported(owner, team, { action: "test.done" });
    expect(headers.get("x-total-count")).toBe("10050");
    const [columns = [], ...rows] = readCsv(text);
    const numbers = rows.map((row) => Number(row[columns.indexOf("resource_id")]));
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, index) => 10_050 - index));
  });
});
