import { describe, expect, inject, it } from "vitest";
import { ProjectTree } from "#src/domain/hosting/bundles/project-tree.ts";
import { builtDirectory } from "#src/domain/hosting/bundles/sent-directory.ts";
import { sentFiles } from "#src/domain/hosting/bundles/sent-files.ts";
import { IgnoreRules } from "#src/lib/ignore-rules.ts";
import { seeded } from "#test/support/random.ts";
import { treeOf } from "./trees.ts";
import { runs } from "#test/support/soak.ts";

const RUNS = runs(100);

const named = (outputDirectory: string) => ({ outputDirectory });

describe("the directory that is sent", () => {
  const wish = { directory: "", outputDirectory: null, defaultDirectory: "dist" };

  it.each<[string, string, object, string[]]>([
    ["the default", "dist", {}, ["dist/index.html", "public/index.html", "index.html"]],
    ["a configured default", "site", { defaultDirectory: "site" }, ["site/index.html", "dist/index.html"]],
    ["public", "public", {}, ["public/index.html", "dist/library.js"]],
    ["the project itself", "", {}, ["index.html", "css/a.css"]],
    ["below the container's", "web/dist", { directory: "web" }, ["web/dist/index.html", "dist/index.html"]],
    ["the one that was named", "site", named("site"), ["site/a.txt", "dist/index.html"]],
    ["one below a hidden one", ".output/public", named(".output/public"), [".output/public/index.html"]],
    ["the root that was named", "", named("."), ["dist/index.html", "index.html"]],
    [
      "where a link leads",
      "releases/2",
      named("current"),
      ["releases/2/index.html", "current -> releases/2"],
    ],
    ["the one whose page is a link", "dist", {}, ["dist/index.html -> ../main.html", "main.html"]],
  ])("is %s: %j", (_, expected, fields, paths) => {
    expect(builtDirectory(new ProjectTree(treeOf(paths)), { ...wish, ...fields })).toBe(expected);
  });

  it.each<[string, object, string[], RegExp]>([
    [
      "no page",
      {},
      ["dist/a.js", "src/index.html"],
      /no index\.html .*dist, build, out, public, the directory/u,
    ],
    ["a page outside the project", {}, ["index.html -> /etc/passwd"], /no index\.html/u],
    ["a named one that is not there", named("site"), ["index.html"], /"site" does not exist/u],
    ["one outside the project", named("out"), ["out -> ../x", "x/index.html"], /"out" does not/u],
    ["a path that leads out", named("../x"), ["index.html"], /Path traversal/u],
  ])("is none with %s", (_, fields, paths, sentence) => {
    const tree = new ProjectTree(treeOf(paths));
    expect(() => builtDirectory(tree, { ...wish, ...fields })).toThrow(sentence);
  });
});

const words = (text: string) => text.split(/\s+/u);

/** Paths of the files that are sent, with the places of their contents where these are others. */
const sent = (paths: string[], directory = "", mode: "source" | "pre-built" = "pre-built") =>
  sentFiles(new ProjectTree(treeOf(paths)), directory, mode).files.map(({ path, source }) =>
    path === source || `${directory}/${path}` === source ? path : `${path} <- ${source}`,
  );

describe("the files that are sent", () => {
  it("are without git, packages, env files and hidden files", () => {
    const left =
      words(`.git/config a/.git node_modules/x/index.js a/node_modules/b .env .env.local a/.env .envrc
      staging.env .npmrc a/.hidden/b .well-known/.htpasswd .workspace-notes`);
    const kept = words(".env.example .well-known/security.txt a/env.js a/x.git environment index.html");
    expect(sent([...left, ...kept])).toEqual(kept);
    expect(sent([...left, ...kept], "", "source")).toEqual(kept);
  });

  it("are without the names of secrets, which are told", () => {
    const left = words(`.env.production ID_RSA a/b/Key.PEM certs/server.key client_secret_1.apps.json
      credentials.json deploy/id_ed25519 infra/terraform.tfstate infra/terraform.tfstate.backup
      my-project-service-account.json prod.env serviceAccountKey.json x-firebase-adminsdk-1.json`);
    const kept = words("a.pem/index.html id_rsa.pub index.html key package.json");
    for (const mode of ["source", "pre-built"] as const) {
      const { files, secrets } = sentFiles(new ProjectTree(treeOf([...left, ...kept])), "", mode);
      expect(files.map(({ path }) => path)).toEqual(kept);
      expect(secrets).toEqual(left);
    }
  });

  it("are those that .deployignore decides on, git's data and packages aside", () => {
    const rules = new IgnoreRules();
    const ignored = "*.map !public.pem !.env.test !.hidden/ !dist/ !.git/ !node_modules/ /drafts/ !drafts/a";
    rules.add("web", ignored.replaceAll(" ", "\n"));
    const paths = words(`web/.env.test web/.git/config web/.hidden/a web/a.map web/dist/a.js web/drafts/a
      web/node_modules/a web/other.pem web/package.json web/public.pem`);
    const { files, secrets } = sentFiles(new ProjectTree(treeOf(paths)), "web", "source", rules);
    const kept = words(".env.test .hidden/a dist/a.js package.json public.pem");
    expect(files.map(({ path }) => path)).toEqual(kept);
    expect(secrets).toEqual(["other.pem"]);
  });

  it("are sorted by their path, whatever the order of the listing", () => {
    expect(sent(["b/a", "b.txt", "a/z", "a-b", "B"])).toEqual(["B", "a-b", "a/z", "b.txt", "b/a"]);
  });

  it("of a source are without what was built beside a package.json", () => {
    const left = words("dist/a.js build/b out/c packages/x/dist/d");
    const kept = words("package.json packages/x/package.json src/build/a.ts docs/dist/e a/out web/build/f");
    expect(sent([...left, ...kept], "", "source")).toEqual(kept.toSorted());
    expect(sent([...left, ...kept])).toHaveLength(10);
    expect(sent(["dist/index.html", "build/a.js"], "", "source")).toEqual(["build/a.js", "dist/index.html"]);
  });

  it("have links as the files they lead to, if those are sent", () => {
    const paths = [
      "site/real.txt",
      "site/link -> real.txt",
      "site/sub/up -> ../real.txt",
      "site/chain -> link",
      "site/absolute -> /app/site/real.txt",
      "site/through -> linked/real.txt",
      "site/linked -> ../site",
      // Left out: beyond the directory, out of the project, nowhere, in a circle, to a directory, to what is left out.
      "other.txt",
      "site/beyond -> ../other.txt",
      "site/out -> ../../../app/site/real.txt",
      "site/passwd -> /etc/passwd",
      "site/appx -> /application/x",
      "site/nowhere -> gone",
      "site/one -> two",
      "site/two -> one",
      "site/sub/dir -> ..",
      "site/env.txt -> .env",
      "site/.env",
      "site/git.txt -> .git/config",
      "site/.git/config",
      "site/below -> real.txt/x",
    ];
    const real = "site/real.txt";
    expect(sent(paths, "site")).toEqual([
      `absolute <- ${real}`,
      `chain <- ${real}`,
      `link <- ${real}`,
      "real.txt",
      `sub/up <- ${real}`,
      `through <- ${real}`,
    ]);
  });

  it("change their version with their content, and keep it when an unreadable file is read", () => {
    const [file] = treeOf(["a"]);
    const version = (fields: object) => {
      const tree = new ProjectTree(file ? [{ ...file, ...fields }] : []);
      return sentFiles(tree, "", "source").files[0]?.version;
    };
    expect(version({ fingerprint: "1" })).not.toBe(version({ fingerprint: "2" }));
    expect(version({ fingerprint: "1", mode: 0 })).toBe(version({ fingerprint: "2", mode: 0 }));
  });

  it("of any tree are those that a rule by rule search finds", () => {
    const seed = inject("fuzzSeed");
    const random = seeded(seed);
    const names = words(
      ".env .env.a .env.example .git .well-known .x a b build dist node_modules package.json a.env",
    );
    const name = () => names[random.whole(0, names.length - 1)] ?? "a";
    for (let round = 0; round < RUNS; round += 1) {
      const paths = new Set<string>();
      for (let count = random.whole(1, 30); count > 0; count -= 1) {
        const path = Array.from({ length: random.whole(1, 4) }, name).join("/");
        const clashes = [...paths].some(
          (other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
        );
        if (!clashes) paths.add(path);
      }
      const mode = random.chance(0.5) ? "source" : "pre-built";
      const expected = [...paths].filter((path) => isExpected(path, paths, mode)).toSorted();
      expect(sent([...paths], "", mode), `seed ${seed}, round ${round}`).toEqual(expected);
    }
  });
});

/** The rules again, each for itself. */
function isExpected(path: string, all: ReadonlySet<string>, mode: string): boolean {
  if (/(^|\/)(\.git|node_modules)(\/|$)/u.test(path)) return false;
  if (/(^|\/)[^/]*\.env(\/|$)/u.test(path)) return false;
  const hidden = path.match(/(?<=^|\/)\.[^/]*/gu) ?? [];
  if (hidden.some((name) => ![".well-known", ".env.example"].includes(name))) return false;
  if (mode !== "source") return true;
  for (const { index } of path.matchAll(/(?<=^|\/)(dist|build|out|\.next)\//gu)) {
    if (all.has(`${path.slice(0, index)}package.json`)) return false;
  }
  return true;
}
