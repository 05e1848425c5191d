import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { advance, beginning, listedFrom, settle, type ListedTask } from "#cli/listen/ended-tasks.ts";
import { positionFile, readPosition, writePosition } from "#cli/listen/position.ts";
import { listenSecret, signedHeaders } from "#cli/listen/secret.ts";

const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();
const task = (id: string, status: string, second: number): ListedTask => ({
  task_id: id,
  status,
  created_at: at(second),
});

describe("ended tasks", () => {
  it("are told when they end after the beginning, each until it is settled", () => {
    const old = task("old", "completed", 50);
    const begun = beginning([task("running", "running", 55), old], [task("running", "running", 55)]);
    expect(begun).toEqual({ since: at(55), open: ["running"], settled: ["old"] });
    expect(listedFrom(begun)).toBe(at(25));

    const quiet = advance(begun, [old, task("running", "running", 55)], [task("running", "running", 55)]);
    expect(quiet.ended).toEqual([]);

    const quick = task("quick", "failed", 60);
    const later = advance(quiet.position, [old, task("running", "completed", 55), quick], []);
    expect(later.ended.toSorted()).toEqual(["quick", "running"]);
    expect(advance(later.position, [old, quick], []).ended.toSorted()).toEqual(["quick", "running"]);

    const settled = settle(settle(later.position, "quick"), "running");
    expect(advance(settled, [old, quick], [])).toEqual({
      position: { since: at(60), open: [], settled: ["old", "quick"] },
      ended: [],
    });
  });

  it("are told to a receiver that was away, also of tasks that began long before", () => {
    const position = { since: at(100), open: ["long"], settled: [] };
    const back = advance(position, [task("missed", "cancelled", 110)], [task("new", "queued", 120)]);
    expect(back.ended.toSorted()).toEqual(["long", "missed"]);
    expect(back.position.open.toSorted()).toEqual(["long", "missed", "new"]);
  });

  it("do not include one that is seen at work in either list", () => {
    const begun = beginning([], []);
    expect(advance(begun, [task("a", "running", 1)], []).ended).toEqual([]);
    expect(advance(begun, [task("a", "completed", 1)], [task("a", "running", 1)]).ended).toEqual([]);
  });
});

describe("what is stored", () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), "workspace-listen-")), "workspace");
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true }));

  it("is one secret, for its owner alone, which signs as the service does", async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => listenSecret(folder)));
    const secret = first?.secret ?? "";
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect(new Set(others.map((other) => other.secret))).toEqual(new Set([secret]));
    expect([first, ...others].filter((each) => each?.isNew)).toHaveLength(1);
    expect((await stat(path.join(folder, "listen-secret.json"))).mode & 0o777).toBe(0o600);
    const body = '{"task_id":"t","status":"completed","response":"déjà vu"}';
    const headers = signedHeaders("task_t", body, secret, Date.now());
    expect(await verifyCallback(body, headers, secret)).toMatchObject({ task_id: "t" });
    await expect(verifyCallback(`${body} `, headers, secret)).rejects.toThrow("signature");
  });

  it("is the position of each receiver", async () => {
    const file = positionFile(folder, "https://a.test", "http://localhost:3000/");
    expect(positionFile(folder, "https://b.test", "http://localhost:3000/")).not.toBe(file);
    expect(await readPosition(file)).toBeUndefined();
    const position = { since: at(1), open: ["a"], settled: ["b"] };
    await writePosition(file, position);
    expect(await readPosition(file)).toEqual(position);
    await writePosition(file, { since: undefined, open: [], settled: [] });
    expect(await readPosition(file)).toEqual({ since: undefined, open: [], settled: [] });
  });
});
