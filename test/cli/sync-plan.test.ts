import { describe, expect, it } from "vitest";
import { decide, type Direction, type PlanOptions, type Versions } from "#cli/sync/plan.ts";
import { IgnoreRules } from "#cli/sync/ignore-rules.ts";

const RECORDED = { hash: "h0", etag: "e0" };
/** How a file is here, and at the service, compared with the last sync. */
const HERE = { absent: {}, same: { hash: "h0" }, changed: { hash: "h1" } };
const THERE = { absent: {}, same: { etag: "e0" }, changed: { etag: "e1", remoteHash: "h2" } };

type State = keyof typeof HERE;
type Row = [source: State, target: State, action: string, withDelete: string, withForce: string];

/** Synced before. `keep`, `conflict` and `none` change no file. */
const SYNCED: Row[] = [
  ["same", "same", "none", "none", "none"],
  ["changed", "same", "update", "update", "update"],
  ["same", "changed", "keep", "keep", "keep"],
  ["changed", "changed", "conflict", "conflict", "update"],
  ["absent", "same", "keep", "delete", "keep"],
  ["absent", "changed", "keep", "conflict", "keep"],
  ["same", "absent", "keep", "keep", "create"],
  ["changed", "absent", "conflict", "conflict", "create"],
  ["absent", "absent", "forget", "forget", "forget"],
];

/** Never synced: what is on both sides must be compared. */
const UNKNOWN: Row[] = [
  ["changed", "absent", "create", "create", "create"],
  ["changed", "changed", "conflict", "conflict", "update"],
  ["absent", "changed", "none", "none", "none"],
];

function versionsOf(direction: Direction, source: State, target: State): Versions {
  const [here, there] = direction === "pull" ? [target, source] : [source, target];
  return { ...HERE[here], ...THERE[there] };
}

describe.each<Direction>(["pull", "push"])("the plan of a %s", (direction) => {
  const act = (
    versions: Versions,
    recorded: typeof RECORDED | undefined,
    options: Partial<PlanOptions> = {},
  ) => decide(versions, recorded, { direction, delete: false, force: false, ...options }).action;

  it.each(SYNCED)("after a sync, %s at the source and %s at the target", (source, target, ...actions) => {
    const versions = versionsOf(direction, source, target);
    const wishes = [{}, { delete: true }, { force: true }];
    expect(wishes.map((wish) => act(versions, RECORDED, wish))).toEqual(actions);
  });

  it.each(UNKNOWN)("without a sync, %s at the source and %s at the target", (source, target, ...actions) => {
    const versions = versionsOf(direction, source, target);
    const wishes = [{}, { delete: true }, { force: true }];
    expect(wishes.map((wish) => act(versions, undefined, wish))).toEqual(actions);
  });

  it("deletes what the target has changed only when both are wished", () => {
    const versions = versionsOf(direction, "absent", "changed");
    expect(act(versions, RECORDED, { delete: true, force: true })).toBe("delete");
  });

  it("compares before it calls two files different", () => {
    expect(act({ hash: "h1", etag: "e1" }, RECORDED)).toBe("compare");
    expect(act({ hash: "h1", etag: "e1" }, undefined, { force: true })).toBe("compare");
    expect(act({ hash: "h1", etag: "e1", remoteHash: "h1" }, RECORDED)).toBe("record");
    expect(act({ hash: "h1", etag: "e1", remoteHash: "h1" }, undefined)).toBe("record");
  });

  it("does not take another entity tag of the same content for a change", () => {
    const versions = { hash: "h1", etag: "e1", remoteHash: "h0" };
    expect(act(versions, RECORDED)).toBe(direction === "push" ? "update" : "keep");
  });
});

const rules = (texts: Record<string, string>) => {
  const made = new IgnoreRules();
  for (const [folder, text] of Object.entries(texts)) made.add(folder, text);
  return (path: string) => made.ignores(path);
};

describe("ignore rules", () => {
  it("are git's", () => {
    const ignores = rules({ "": "*.log\n!keep.log\n/dist/\n# note\n" });
    expect(["a.log", "b/c.log", "dist/x", "dist/"].every(ignores)).toBe(true);
    expect(["keep.log", "b/keep.log", "b/dist/x", "dist", "a.txt"].some(ignores)).toBe(false);
  });

  it("of a nearer folder count more", () => {
    const ignores = rules({ "": "*.log\n", a: "!*.log\n", b: "secret\n" });
    expect(ignores("a/x.log")).toBe(false);
    expect(ignores("x.log")).toBe(true);
    expect(ignores("b/secret/x")).toBe(true);
    expect(ignores("secret")).toBe(false);
  });

  it("leave node_modules out unless told otherwise", () => {
    expect(rules({})("a/node_modules/b/index.js")).toBe(true);
    expect(rules({ "": "!node_modules\n" })("node_modules/b/index.js")).toBe(false);
  });
});
