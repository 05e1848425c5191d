import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { EMPTY_DOCUMENT, type SettledDocument } from "./config-document.ts";
import { sanitizeName } from "./names.ts";
import { usablePort, type RuntimePorts } from "./ports.ts";

type App = SettledDocument["apps"][string];
type Files = Pick<ProjectFiles, "list" | "readFile">;

/** Most directories that are searched for apps. */
const MAX_DIRECTORIES = 40;
/** Directories that contain no apps of their own. */
const EXCLUDED = new Set(["node_modules", "dist", "build", "public", "src", "test", "tests", "docs", "venv"]);
/** Directories whose subdirectories are apps. */
const WORKSPACES = new Set(["apps", "packages", "services"]);

/**
 * Guesses a project's configuration document from the manifests in its root and in the directories below it. Throws
 * `invalid_input` for a project without files.
 */
export async function analyzeProject(runtime: Files & RuntimePorts): Promise<SettledDocument> {
  const root = await runtime.list("", { recursive: false });
  if (root.length === 0) throw new AppError("invalid_input", "The project has no files yet");
  const found: App[] = [];
  for (const directory of await directoriesOf(runtime, root)) {
    const app = await guessApp(runtime, directory);
    if (app) found.push({ ...app, port: usablePort(app.port, runtime) });
  }
  // A root with apps below it is a workspace: its manifest describes the whole and is not an app.
  const apps = found.length > 1 ? found.filter(({ directory }) => directory !== ".") : found;
  const named = Object.fromEntries(apps.map((app) => [nameOf(app, apps), app]));
  return { ...EMPTY_DOCUMENT, apps: named, primaryApp: Object.keys(named)[0] ?? "" };
}

async function directoriesOf(files: Files, root: Awaited<ReturnType<Files["list"]>>): Promise<string[]> {
  const first = root
    .filter(({ kind, name }) => kind === "directory" && !isApart(name))
    .map(({ path }) => path);
  const below = await Promise.all(
    first.filter((path) => WORKSPACES.has(path)).map((path) => files.list(path, { recursive: false })),
  );
  const second = below
    .flat()
    .filter(({ kind }) => kind === "directory")
    .map(({ path }) => path);
  return ["", ...first, ...second].slice(0, MAX_DIRECTORIES);
}

/** Named after its directory; after the whole path if two directories have the same name. */
function nameOf({ directory }: App, apps: readonly App[]): string {
  if (directory === ".") return "app";
  const isUnique = apps.filter((other) => last(other.directory) === last(directory)).length === 1;
  return sanitizeName(isUnique ? last(directory) : directory.replaceAll("/", "-")) || "app";
}

function last(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isApart(name: string): boolean {
  return name.startsWith(".") || EXCLUDED.has(name);
}

async function guessApp(files: Files, path: string): Promise<App | undefined> {
  const names = new Set((await files.list(path, { recursive: false })).map(({ name }) => name));
  const read = async (name: string) => {
    if (!names.has(name)) return undefined;
    const bytes = await files.readFile(path === "" ? name : `${path}/${name}`);
    return bytes && new TextDecoder().decode(bytes);
  };
  const directory = path || ".";
  const manifest = await read("package.json");
  if (manifest !== undefined) return guessNode(directory, manifest, names);
  const python = [await read("requirements.txt"), await read("pyproject.toml")].join("\n");
  if (names.has("requirements.txt") || names.has("pyproject.toml"))
    return guessPython(directory, python, names);
  if (names.has("go.mod")) return appOf({ directory, port: 8080, start: "go run .", framework: "go" });
  if (names.has("index.html")) return appOf({ directory, port: 3000, start: "", framework: "static" });
  return undefined;
}

const Manifest = z.looseObject({
  scripts: z.record(z.string(), z.string()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
});

/** The first dependency that is present determines the framework, its port, and how it receives the port. */
const NODE_FRAMEWORKS = [
  { name: "next", port: 3000, told: "", output: ".next" },
  { name: "vite", port: 5173, told: " -- --port $PORT", output: "dist" },
  { name: "react-scripts", port: 3000, told: "", output: "build" },
  { name: "express", port: 3000, told: "", output: null },
] as const;

function guessNode(directory: string, text: string, names: ReadonlySet<string>): App | undefined {
  const manifest = safeParseJson(text, Manifest)?.value;
  if (!manifest) return undefined;
  const { scripts, dependencies, devDependencies } = manifest;
  const script = ["dev", "start"].find((each) => Object.hasOwn(scripts, each));
  const framework = NODE_FRAMEWORKS.find(({ name }) => name in dependencies || name in devDependencies);
  if (script === undefined && !names.has("index.html")) return undefined;
  if (script === undefined) return appOf({ directory, port: 3000, start: "", framework: "static" });
  const told = script === "dev" ? (framework?.told ?? "") : "";
  return appOf({
    directory,
    port: framework?.port ?? 3000,
    start: `npm install && npm run ${script}${told}`,
    framework: framework?.name ?? "node",
    output: framework?.output ?? null,
  });
}

function guessPython(directory: string, requirements: string, names: ReadonlySet<string>): App {
  const module = ["main", "app"].find((each) => names.has(`${each}.py`)) ?? "main";
  const install = names.has("requirements.txt") ? "pip install -r requirements.txt && " : "";
  const uses = (name: string) => new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`, "imu").test(requirements);
  if (names.has("manage.py")) {
    return appOf({
      directory,
      port: 8000,
      start: `${install}python manage.py runserver $PORT`,
      framework: "django",
    });
  }
  if (uses("fastapi")) {
    const start = `${install}uvicorn ${module}:app --port $PORT`;
    return appOf({ directory, port: 8000, start, framework: "fastapi" });
  }
  if (uses("flask")) {
    const start = `${install}flask --app ${module} run --port $PORT`;
    return appOf({ directory, port: 8000, start, framework: "flask" });
  }
  return appOf({ directory, port: 8000, start: `${install}python ${module}.py`, framework: "python" });
}

function appOf(
  guess: Pick<App, "directory" | "port" | "start"> & { framework: string; output?: string | null },
): App {
  return { build: null, output: null, env: {}, exports: {}, ...guess };
}
