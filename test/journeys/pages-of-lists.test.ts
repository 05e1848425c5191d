import { beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const service = sharedService();

/** A list by its path, of a person who has three things in it. */
let lists: Record<"projects" | "keys" | "members" | "project's members", List>;
interface List {
  token: string;
  path: string;
}

beforeAll(async () => {
  const client = await newTeamClient(service);
  const { token } = client.owner;
  const members: Account[] = [];
  for (let made = 0; made < 2; made += 1) members.push(await client.join("editor"));
  const projects = [];
  for (let made = 0; made < 3; made += 1) projects.push(await service.newProject(token));
  for (let made = 0; made < 3; made += 1) await service.newKey(token);
  const [first] = projects;
  for (const { id } of [client.owner, ...members]) {
    const added = await service.call("POST", `/api/projects/${first?.id}/members`, {
      token,
      json: { user_id: id, role: "admin" },
    });
    if (added.status >= 300) throw new Error(`Not added: ${added.text}`);
  }
  lists = {
    projects: { token, path: "/api/projects?" },
    keys: { token, path: "/api/external-api-keys?" },
    members: { token, path: `${client.path("/members")}?` },
    "project's members": { token, path: `/api/projects/${first?.id}/members?` },
  };
});

const read = ({ token, path }: List, query = "") =>
  service.call<unknown[]>("GET", `${path}${query}`, { token });

const NAMES = ["projects", "keys", "members", "project's members"] as const;

describe.each(NAMES)("a list of %s", (name) => {
  it("is answered whole, or in pages that follow one another and together are the whole", async () => {
    const whole = await read(lists[name]);
    expect(whole.body).toHaveLength(3);
    expect(whole.headers.get("x-next-cursor")).toBeNull();
    const pages: unknown[][] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await read(lists[name], `limit=2${after}`);
      expect(page.status).toBe(200);
      pages.push(page.body);
      cursor = page.headers.get("x-next-cursor");
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 1]);
    expect(pages.flat()).toEqual(whole.body);
    for (const query of ["limit=0", "limit=1001", "cursor=1_2"]) {
      expect([query, (await read(lists[name], query)).status]).toEqual([query, 422]);
    }
  });
});

describe("the history of a chat", () => {
  let client: ChatClient;
  beforeAll(async () => {
    client = await newChatClient(service);
    for (const text of ["one", "two", "three"]) await client.ask(script({ text }));
  });

  it.each(["limit=5", "limit=6"])("comes in pages, the newest first, of %s", async (limit) => {
    const list = { token: client.account.token, path: `/api/chat/${client.projectId}/history?` };
    const whole = (await read(list)).body;
    expect(whole).toHaveLength(6);
    const pages: unknown[][] = [];
    let cursor: string | null = "";
    while (cursor !== null && pages.length < 10) {
      const page = await read(list, cursor === "" ? limit : `${limit}&cursor=${cursor}`);
      expect(page.status).toBe(200);
      pages.unshift(page.body);
      cursor = page.headers.get("x-next-cursor");
    }
    expect(pages.flat()).toEqual(whole);
  });

  it("is refused to begin nowhere", async () => {
    const list = { token: client.account.token, path: `/api/chat/${client.projectId}/history?` };
    for (const query of ["cursor=1_nobody", "cursor=9999999999_user"]) {
      expect((await read(list, query)).status).toBe(422);
    }
  });
});
