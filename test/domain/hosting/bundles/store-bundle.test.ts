import { describe, expect, inject, it } from "vitest";
import {
  bundlesOf,
  deleteBundle,
  leftOutLine,
  openBundle,
  storeSourceArchive,
  sweepBundles,
} from "#src/domain/hosting/bundles/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { seeded } from "#test/support/random.ts";
import { contentsOf, MEBIBYTE, newScene, sha1 } from "./scene.ts";
import { runs } from "#test/support/soak.ts";

const RUNS = runs(8);

describe("a bundle", () => {
  it("has the files that are sent, with sizes and digests", async () => {
    const scene = newScene({
      "dist/index.html": "<p>ä",
      "dist/empty": "",
      "dist/a/b.js": "1",
      "src/x.ts": "no",
      "dist/.env": "no",
    });
    const bundle = await scene.store();
    expect(bundle).toEqual({
      prefix: expect.stringMatching(/^deployments\/one\/[0-9a-f-]{36}\/$/u),
      files: 3,
      bytes: 6,
    });
    expect((await openBundle(scene.archives, bundle)).list).toEqual([
      { path: "a/b.js", size: 1, digest: sha1(Buffer.from("1")) },
      { path: "empty", size: 0, digest: sha1(Buffer.from("")) },
      { path: "index.html", size: 5, digest: sha1(Buffer.from("<p>ä")) },
    ]);
    expect(await contentsOf(scene, bundle)).toEqual({ "a/b.js": "1", empty: "", "index.html": "<p>ä" });
  });

  it("is without the names of secrets, which are told; .deployignore decides otherwise", async () => {
    const scene = newScene({
      "web/.deployignore": "!public.pem\n*.map\n",
      "web/a.map": "no",
      "web/id_rsa": "no",
      "web/index.html": "1",
      "web/public.pem": "2",
    });
    const told: string[] = [];
    const onSecrets = async (paths: string[]) => told.push(...paths);
    const bundle = await scene.store({ directory: "web", mode: "source", onSecrets });
    expect(await contentsOf(scene, bundle)).toEqual({ "index.html": "1", "public.pem": "2" });
    expect(told).toEqual(["id_rsa"]);
    expect(leftOutLine(told)).toContain("secrets: id_rsa. A line such as !name in .deployignore");
  });

  it("has no rules that are too large", async () => {
    const scene = newScene({ "index.html": "1", ".deployignore": "#".repeat(70_000) });
    await expect(scene.store({ mode: "source" })).rejects.toThrow('".deployignore" has 70000 bytes');
  });

  it("of any tree is the same as one that is computed otherwise", async () => {
    const seed = inject("fuzzSeed");
    const random = seeded(seed);
    for (let round = 0; round < RUNS; round += 1) {
      const scene = newScene();
      const expected = new Map<string, string>();
      for (let count = random.whole(1, 25); count > 0; count -= 1) {
        const name = `d${random.whole(0, 3)}/f${random.whole(0, 30)}`;
        const content = String.fromCodePoint(random.whole(1, 0x2fff)).repeat(random.whole(0, 3000));
        expected.set(name, content);
        scene.project.write(name, content, { mode: random.chance(0.5) ? 0o755 : 0o644 });
      }
      for (const [name] of [...expected].slice(0, 2)) {
        const link = `l/${name.replace("/", "-")}`;
        scene.project.write(link, "", { kind: "symlink", target: `../${name}` });
        expected.set(link, expected.get(name) ?? "");
      }
      const bundle = await scene.store({ mode: "source" });
      const sorted = [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1));
      const files = await openBundle(scene.archives, bundle);
      const list = sorted.map(([name, content]) => {
        const bytes = Buffer.from(content);
        return { path: name, size: bytes.byteLength, digest: sha1(bytes) };
      });
      expect(files.list, `seed ${seed}, round ${round}`).toEqual(list);
      const pack = scene.archives.objects.get(`${bundle.prefix}files.pack`)?.bytes ?? new Uint8Array();
      expect(Buffer.from(pack).equals(Buffer.from(sorted.map(([, content]) => content).join("")))).toBe(true);
      expect(await contentsOf(scene, bundle)).toEqual(Object.fromEntries(expected));
      expect(bundle.bytes).toBe(pack.byteLength);
    }
  });

  it("is not stored again by a repetition, which gets the same bytes", async () => {
    const scene = newScene({ "index.html": "one" });
    const first = await scene.store();
    const keys = scene.keys();
    scene.project.write("index.html", "two");
    expect(await scene.store()).toEqual(first);
    expect(scene.keys()).toEqual(keys);
    expect(await contentsOf(scene, first)).toEqual({ "index.html": "one" });
    const other = await scene.store({ prefix: bundlesOf("other") });
    expect(await contentsOf(scene, other)).toEqual({ "index.html": "two" });
  });

  it("stays as it is when a superseded executor stores one later", async () => {
    const scene = newScene({ "index.html": "one" });
    let late: Promise<unknown> | undefined;
    scene.project.beforeRead = async () => {
      scene.project.beforeRead = () => undefined;
      late = Promise.resolve(await scene.store());
    };
    const second = await scene.store();
    const first = await late;
    expect(second).not.toEqual(first);
    expect(await contentsOf(scene, second)).toEqual({ "index.html": "one" });
    expect([first, second]).toContainEqual(await scene.store());
  });

  it.each([
    ["files.pack", "before", "two"],
    ["files.pack", "after", "two"],
    ["manifest.json", "before", "two"],
    ["manifest.json", "after", "one"],
  ])(
    "is whole after the next attempt when the first died at its %s, %s that was stored",
    async (object, when, content) => {
      const scene = newScene({ "index.html": "one" });
      const put = scene.archives.put.bind(scene.archives);
      scene.archives.put = async (key, body) => {
        if (!key.endsWith(object)) return put(key, body);
        if (when === "after") await put(key, body);
        throw new Error("Killed");
      };
      await expect(scene.store()).rejects.toThrow("Killed");
      scene.archives.put = put;
      scene.project.write("index.html", "two");
      expect(await contentsOf(scene, await scene.store())).toEqual({ "index.html": content });
    },
  );

  it("is not stored after an abort", async () => {
    for (const begin of ["before", "meanwhile"]) {
      const scene = newScene({ "index.html": "one" });
      const given = new AbortController();
      const abort = () => given.abort(new Error("Given up"));
      if (begin === "before") abort();
      else scene.project.beforeRead = abort;
      await expect(scene.store({ signal: given.signal })).rejects.toThrow("Given up");
      expect(scene.keys().filter((key) => key.endsWith("manifest.json"))).toEqual([]);
    }
  });
});

describe("files that change while they are read", () => {
  const change: Record<string, (scene: ReturnType<typeof newScene>, round: number) => void> = {
    "another size": ({ project }, round) => project.write("a", "x".repeat(round + 2)),
    "another content": ({ project }, round) => project.write("a", String(round)),
    "a further file": ({ project }, round) => project.write(`new${round}`, "x"),
    "a file less": ({ project }, round) => void project.entries.delete(`gone${round}`),
  };
  const begin = { "index.html": "<p>", a: "x", gone1: "x", gone2: "x", gone3: "x" };

  it.each(Object.keys(change))("begin again: %s", async (what) => {
    const scene = newScene(begin);
    let round = 0;
    scene.project.beforeRead = () => {
      round += 1;
      if (round <= 2) change[what]?.(scene, round);
    };
    const bundle = await scene.store();
    expect(round).toBe(3);
    expect(await contentsOf(scene, bundle)).toEqual(scene.project.texts());
    // What the first attempts had stored is gone.
    expect(scene.keys().filter((key) => key.endsWith(".pack"))).toHaveLength(1);
  });

  it("end with a sentence when it does not stop", async () => {
    const scene = newScene(begin);
    let round = 0;
    scene.project.beforeRead = () => change["another size"]?.(scene, (round += 1));
    const message = expect.stringContaining("kept changing");
    await expect(scene.store()).rejects.toMatchObject({ code: "unavailable", message });
    expect([round, scene.keys()]).toEqual([3, []]);
  });

  it("begin again when the runtime breaks off, and pass a failure that has another cause", async () => {
    const scene = newScene(begin);
    const broken = new AppError("unavailable", "The transfer of the files broke off; try again");
    let round = 0;
    scene.project.beforeRead = () => {
      round += 1;
      if (round === 2) return;
      if (round === 1) scene.project.write("a", "other");
      throw broken;
    };
    expect(await contentsOf(scene, await scene.store())).toMatchObject({ a: "other" });
    await expect(scene.store({ prefix: bundlesOf("two") })).rejects.toBe(broken);
    expect(round).toBe(3);
  });

  it("may be those that are not sent", async () => {
    const scene = newScene(begin);
    let round = 0;
    scene.project.beforeRead = () => scene.project.write(".cache/log", "x".repeat((round += 1)));
    expect(await scene.store()).toMatchObject({ files: 5 });
    expect(round).toBe(1);
  });
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`assets/${at}`, "x"]));

describe("limits of a bundle", () => {
  const page = { "index.html": "<p>" };
  const large = "x".repeat(MEBIBYTE);
  it.each<[string, Record<string, string>, RegExp]>([
    ["a file", { ...page, "a/film": `${large}x` }, /"a\/film" has 1\.1 MB.*1 MB \(DEPLOYMENT_MAX_FILE_MB\)/u],
    [
      "the number",
      { ...page, ...many(100) },
      /101 files, most of them in "assets\/".*100 .*\(DEPLOYMENT_MAX_FILES\)/u,
    ],
    [
      "the whole",
      { ...page, a: large, b: large },
      /2\.1 MB.*"a" with 1\.0 MB.*2 MB \(DEPLOYMENT_MAX_TOTAL_MB\)/u,
    ],
  ])("are named in the refusal: %s", async (_, files, sentence) => {
    const { store, keys } = newScene(files);
    const message = expect.stringMatching(sentence);
    await expect(store()).rejects.toMatchObject({ code: "too_large", message });
    expect(keys()).toEqual([]);
  });

  it("are reached, and only what is sent counts", async () => {
    const { store } = newScene({ ...page, ...many(99), "node_modules/large": large.repeat(3) });
    expect(await store()).toMatchObject({ files: 100 });
    const full = newScene({ ...page, a: large });
    expect(await full.store()).toMatchObject({ bytes: MEBIBYTE + 3 });
  });

  it.each(["pre-built", "source"] as const)("do not make a deployment of nothing: %s", async (mode) => {
    const { store } = newScene({ ".env": "x" });
    await expect(store({ mode })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(store({ mode, directory: "gone" })).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("a damaged bundle", () => {
  it.each<[string, (scene: ReturnType<typeof newScene>, prefix: string) => void]>([
    ["without its pack", ({ archives }, prefix) => void archives.objects.delete(`${prefix}files.pack`)],
    [
      "that is cut off",
      ({ archives }, prefix) => {
        const object = archives.objects.get(`${prefix}files.pack`);
        if (object) object.bytes = object.bytes.slice(1);
      },
    ],
    [
      "whose manifest is none",
      ({ archives }, prefix) => {
        const object = archives.objects.get(`${prefix}manifest.json`);
        if (object) object.bytes = Buffer.from("{}");
      },
    ],
  ])("is not opened: %s", async (_, damage) => {
    const scene = newScene({ "index.html": "one" });
    const bundle = await scene.store();
    damage(scene, bundle.prefix);
    await expect(openBundle(scene.archives, bundle)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("damaged"),
    });
  });

  it("is not that of another row, and does not become an archive", async () => {
    const scene = newScene({ "index.html": "one" });
    const bundle = await scene.store();
    const refused = { code: "unavailable" };
    await expect(openBundle(scene.archives, { ...bundle, bytes: 4 })).rejects.toMatchObject(refused);
    const files = await openBundle(scene.archives, bundle);
    await expect(files.read({ path: "other", size: 1, digest: "" })).rejects.toMatchObject(refused);
    const pack = scene.archives.objects.get(`${bundle.prefix}files.pack`);
    if (pack) pack.bytes = Buffer.from("two");
    await expect(storeSourceArchive(scene.archives, bundle)).rejects.toMatchObject(refused);
    expect(scene.keys()).toHaveLength(2);
  });
});

describe("stored bundles", () => {
  it("go with their deployment", async () => {
    const scene = newScene({ "index.html": "one" });
    const bundle = await scene.store();
    const other = await scene.store({ prefix: bundlesOf("one-and-more") });
    await storeSourceArchive(scene.archives, bundle);
    await deleteBundle(scene.archives, scene.prefix);
    await deleteBundle(scene.archives, scene.prefix);
    expect(scene.keys().every((key) => key.startsWith(other.prefix))).toBe(true);
    await deleteBundle(scene.archives, other.prefix);
    expect(scene.keys()).toEqual([]);
    for (const prefix of ["", "deployments/", "snapshots/x/"]) {
      await expect(deleteBundle(scene.archives, prefix)).rejects.toThrow("prefix");
    }
  });

  it("that no deployment names are swept after a day", async () => {
    const scene = newScene({ "index.html": "one" });
    const kept = await scene.store();
    const dropped = await scene.store({ prefix: bundlesOf("two") });
    await scene.archives.put("deployments/one/interrupted/files.pack", new Blob(["x"]).stream());
    await scene.archives.put("snapshots/x", new Blob(["x"]).stream());
    const asked = new Set<string>();
    const sweep = () =>
      sweepBundles(scene.archives, async (prefixes) => {
        for (const prefix of prefixes) asked.add(prefix);
        return new Set([kept.prefix]);
      });
    await sweep();
    expect(asked.size).toBe(0);
    const yesterday = new Date(Date.now() - 25 * 3600 * 1000);
    for (const object of scene.archives.objects.values()) object.storedAt = yesterday;
    const young = await scene.store({ prefix: bundlesOf("three") });
    await sweep();
    expect(asked).toEqual(new Set([kept.prefix, dropped.prefix, "deployments/one/interrupted/"]));
    const left = new Set(scene.keys().map((key) => key.replace(/[^/]+$/u, "")));
    expect(left).toEqual(new Set(["snapshots/", kept.prefix, young.prefix]));
  });
});
