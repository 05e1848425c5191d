import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { readCsv } from "#test/support/csv.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient, type TeamClient } from "#test/support/team-client.ts";

const service = sharedService();
const db = databaseOf(service);

const as = <T = unknown>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });
const read = (team: TeamClient, query = "", who = team.owner) =>
  as<api.AuditEntry[]>(who, "GET", team.path(`/audit-log?${query}`));
const readOf = (team: TeamClient, project: string, query = "", who = team.owner) =>
  as<api.AuditEntry[]>(who, "GET", team.path(`/projects/${project}/audit-log?${query}`));
const exported = (team: TeamClient, filter: unknown = {}, who = team.owner) =>
  as<string>(who, "POST", team.path("/audit-log/export"), filter);

/** A project of the team, whose visibility has changed: two entries. */
async function newProject({ owner }: TeamClient, name?: string) {
  const project = await service.newProject(owner.token, name);
  for (const visibility of ["public", "team"]) {
    await as(owner, "PATCH", `/api/projects/${project.id}`, { visibility });
  }
  return project;
}

/** The moment so many days from now. */
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString();

describe("the audit log of a team", () => {
  it("lists person, action and address of each entry, newest first", async () => {
    const team = await newTeamClient(service);
    const { owner } = team;
    const { id: keyId } = await service.newKey(owner.token);
    const project = await newProject(team, "Engine");
    const { status, headers, body } = await read(team);
    expect([status, headers.get("x-total-count")]).toEqual([200, String(body.length)]);
    const common = {
      team_id: team.team.id,
      user_id: owner.id,
      user_name: owner.username,
      ip_address: "127.0.0.1",
      user_agent: "node",
    };
    const changed = {
      ...common,
      action: "project.visibility_changed",
      resource_type: "project",
      resource_id: project.id,
      project_id: project.id,
      project_name: "Engine",
    };
    expect(body).toMatchObject([
      { ...changed, details: { from: "public", to: "team" } },
      { ...changed, details: { from: "team", to: "public" } },
      { ...common, action: "api_key.created", resource_id: keyId, project_id: null, project_name: null },
      { ...common, action: "team.created", created_at: expect.stringMatching(/Z$/u) },
    ]);
  });

  it("is searched by person, action, resource and time, and comes in pages", async () => {
    const team = await newTeamClient(service);
    const editor = await team.join("editor");
    const project = await newProject(team);
    const count = async (query: Record<string, string>) => {
      const { body, headers } = await read(team, new URLSearchParams(query).toString());
      expect(headers.get("x-total-count")).toBe(String(body.length));
      return body.length;
    };
    const all = await count({});
    expect(await count({ action: "project.visibility_changed", project_id: project.id })).toBe(2);
    expect(await count({ resource_type: "project" })).toBe(2);
    expect(await count({ user_id: editor.id })).toBe(1);
    expect(await count({ user_id: team.owner.id })).toBe(all - 1);
    expect(await count({ from_date: day(-1), to_date: day(1) })).toBe(all);
    expect(await count({ to_date: day(-1) })).toBe(0);
    expect(await count({ from_date: day(1) })).toBe(0);
    const pages = await Promise.all([1, 2, 3].map((page) => read(team, `page=${page}&per_page=${all - 1}`)));
    expect(pages.map(({ body, headers }) => [body.length, headers.get("x-total-count")])).toEqual([
      [all - 1, String(all)],
      [1, String(all)],
      [0, String(all)],
    ]);
    expect(new Set(pages.flatMap(({ body }) => body.map(({ id }) => id))).size).toBe(all);
  });
});

it("the audit log of a project is open to every member who may see it", async () => {
  const team = await newTeamClient(service);
  const [project, other] = [await newProject(team), await newProject(team)];
  const viewer = await team.join("viewer");
  const own = [{ project_id: project.id }, { project_id: project.id }];
  const { headers, body } = await readOf(team, project.slug, "", viewer);
  expect([headers.get("x-total-count"), body]).toMatchObject(["2", own]);
  expect((await readOf(team, project.id, "per_page=1", viewer)).body).toHaveLength(1);
  expect((await readOf(team, project.id, `project_id=${other.id}`, viewer)).body).toMatchObject(own);
  await as(team.owner, "PATCH", `/api/projects/${project.id}`, { visibility: "private" });
  expect((await readOf(team, project.id, "", viewer)).status).toBe(404);
  expect((await readOf(team, project.id)).body).toHaveLength(3);
});

describe("an export of the audit log", () => {
  it("is a CSV file with the entries that were asked for, and is itself in the log", async () => {
    const team = await newTeamClient(service);
    await service.newKey(team.owner.token);
    const { body: entries } = await read(team);
    const { status, headers, text } = await exported(team);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="audit-log-${team.team.slug}.csv"`);
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
    expect((await read(team, "action=audit.exported")).body).toMatchObject([
      { user_id: team.owner.id, details: { rows: entries.length } },
    ]);
    const rowsOf = async (filter: unknown) => readCsv((await exported(team, filter)).text).length - 1;
    expect(await rowsOf({ action: "api_key.created" })).toBe(1);
    expect(await rowsOf({ to_date: day(-1) })).toBe(0);
  });

  it("ends at ten thousand rows, the newest ones", async () => {
    const team = await newTeamClient(service);
    await db.execute(`
      INSERT INTO audit_log (id, team_id, action, resource_type, resource_id)
      SELECT ('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, '${team.team.id}', 'test.done', 'test', n::text
      FROM generate_series(1, 10050) AS n`);
    const { headers, text } = await exported(team, { action: "test.done" });
    expect(headers.get("x-total-count")).toBe("10050");
    const [columns = [], ...rows] = readCsv(text);
    const numbers = rows.map((row) => Number(row[columns.indexOf("resource_id")]));
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, index) => 10_050 - index));
  });
});
