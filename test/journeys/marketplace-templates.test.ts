import { eq } from "drizzle-orm";
import { packTar } from "modern-tar";
import { describe, expect, it, vi } from "vitest";
import { bases, projects } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const db = databaseOf(service);

interface Done {
  id: string;
  slug: string;
}

const ask = <T = Done>(method: string, path: string, token: string, json?: object) =>
  service.call<T>(method, `/api/marketplace/${path}`, { token, ...(json && { json }) });

const SUBMISSION = {
  name: "Starter",
  description: "A start",
  git_repo_url: "https://git.invalid/octo/starter.git",
  category: "frontend",
};

const submit = (token: string, more: object = {}) =>
  ask("POST", "bases/submit", token, { ...SUBMISSION, ...more });
const rowOf = async (id: string) => (await db.select().from(bases).where(eq(bases.id, id)))[0];

it.concurrent("a template of the service's own begins a project with its files", async () => {
  const { token } = await service.signUp();
  const json = { name: "From a template", source_type: "base", base_id: "vite-react" };
  const { body: project } = await service.call<Done>("POST", "/api/projects", { token, json });
  const path = `/api/projects/${project.id}`;
  await vi.waitFor(
    async () => {
      const file = await service.call("GET", `${path}/files/src/app.tsx`, { token });
      expect(file).toMatchObject({ status: 200, text: expect.stringContaining("useState") });
    },
    { interval: 200 },
  );
  const config = await service.call("GET", `${path}/setup-config`, { token });
  expect(config).toMatchObject({ status: 200, body: { exists: true } });
});

it("that costs money does not reveal the address of its repository", async () => {
  const [author, { token }] = [await service.signUp(), await service.signUp()];
  const { body: base } = await submit(author.token, {
    visibility: "public",
    pricing_type: "one_time",
    price: 5,
  });
  for (const path of [`bases/${base.slug}`, `bases/${base.slug}/versions`]) {
    for (const caller of [undefined, token]) {
      const seen = await service.call("GET", `/api/marketplace/${path}`, {
        ...(caller && { token: caller }),
      });
      expect(seen).toMatchObject({ status: 200, body: { git_repo_url: null } });
      expect(seen.text).not.toContain(SUBMISSION.git_repo_url);
    }
    const { body } = await ask("GET", path, author.token);
    expect(body).toMatchObject({ git_repo_url: SUBMISSION.git_repo_url });
  }
  const { text } = await service.call("GET", "/api/marketplace/bases?pricing_type=one_time&limit=100");
  expect(text).toContain(base.slug);
  expect(text).not.toContain(SUBMISSION.git_repo_url);
});

describe.concurrent("a template of one's own", () => {
  it("is submitted, changed, made public and deleted", async () => {
    const { token, id: userId } = await service.signUp();
    const { status, body } = await submit(token, { tech_stack: ["vite"], tags: null });
    expect({ status, body }).toMatchObject({ status: 200, body: { visibility: "private", success: true } });
    const { id } = body;
    expect(await rowOf(id)).toMatchObject({
      source: "git",
      gitRepoUrl: SUBMISSION.git_repo_url,
      defaultBranch: "main",
      createdBy: userId,
      techStack: ["vite"],
      pricingType: "free",
    });
    const change = { name: "Renamed", default_branch: "next", icon: null };
    expect(await ask("PATCH", `bases/${id}`, token, change)).toMatchObject({ body: { name: "Renamed" } });
    expect(await ask("PATCH", `bases/${id}`, token, {})).toMatchObject({ status: 200 });
    expect(await service.call("GET", `/api/marketplace/bases/${id}`)).toMatchObject({ status: 404 });
    await ask("PATCH", `bases/${id}/visibility`, token, { visibility: "public" });
    expect(await service.call("GET", `/api/marketplace/bases/${id}`)).toMatchObject({
      status: 200,
      body: { source_type: "git", archive_size_bytes: null, default_branch: "next" },
    });
    const mine = { id, name: "Renamed", visibility: "public", price: 0 };
    expect((await ask("GET", "my-created-bases", token)).body).toMatchObject({ bases: [mine] });
    expect((await ask("GET", "my-items", token)).body).toMatchObject({ items: [{ ...mine, type: "base" }] });
    expect(await ask("DELETE", `bases/${id}`, token)).toMatchObject({ status: 200, body: { id } });
  });

  it("made from a project is priced and repriced", async () => {
    const { token } = await service.signUp();
    const tar = await packTar([{ header: { name: "a.txt", size: 1, type: "file" }, body: "a" }]);
    const { body: base } = await service.call<Done>("POST", "/api/bases?name=Own&visibility=public", {
      token,
      body: new Uint8Array(tar),
    });
    const reprice = (change: object) => ask<{ detail?: string }>("PATCH", `bases/${base.id}`, token, change);
    const shown = async () => (await service.call("GET", `/api/marketplace/bases/${base.slug}`)).body;
    expect(await reprice({ price: 5 })).toMatchObject({ status: 400 });
    expect(await reprice({ pricing_type: "one_time", price: 5 })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject({ pricing_type: "one_time", price: 5 });
    expect(await reprice({ name: "Renamed", price: 7.5 })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject({ name: "Renamed", pricing_type: "one_time", price: 7.5 });
    expect(await reprice({ pricing_type: "free" })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject({ pricing_type: "free", price: 0 });
  });

  it("is cloned for each new project", async () => {
    const { token } = await service.signUp();
    const { body } = await submit(token, { default_branch: "next" });
    const json = { name: "From a template", source_type: "base", base_id: body.slug };
    const made = await service.call<Done>("POST", "/api/projects", { token, json });
    const [project] = await db.select().from(projects).where(eq(projects.id, made.body.id));
    expect(project?.source).toEqual({ kind: "git", url: SUBMISSION.git_repo_url, branch: "next" });
  });

  it("is not submitted with an address or terms that are none", async () => {
    const { token } = await service.signUp();
    for (const [fields, status] of [
      [{ git_repo_url: "http://git.invalid/octo/starter" }, 422],
      [{ git_repo_url: "https://user:secret@git.invalid/octo/starter" }, 400],
      [{ pricing_type: "monthly", price: 5 }, 422],
      [{ pricing_type: "one_time" }, 400],
    ] as const) {
      expect([fields, (await submit(token, fields)).status]).toEqual([fields, status]);
    }
    expect((await ask("GET", "my-created-bases", token)).body).toEqual({ bases: [] });
  });
});
