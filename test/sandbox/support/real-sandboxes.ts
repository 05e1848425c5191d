import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { buildWorkspaceServer } from "#workspace-server/build.ts";
import { bundle } from "./bundle.ts";
import { SETTINGS } from "./scripted-sandboxes.ts";

/** A Worker that runs already, such as one on an account: its address with the token, without a slash at the end. */
const GIVEN_URL = process.env["SANDBOX_URL"];
const SANDBOX = path.resolve(import.meta.dirname, "../../../sandbox");
const IMAGE = "agent-workspace-sandbox:test";

/** Why suites over real containers are skipped here; `undefined` where they run. */
export const NO_CONTAINERS = whyNot();

function whyNot(): string | undefined {
  if (!process.env["SANDBOX_TESTS"]) return "npm run test:sandbox runs it";
  if (GIVEN_URL) return undefined;
  if (!docker("info").ok) return "it needs Docker, or SANDBOX_URL with a Worker on an account";
  const missing = [baseImage(), outboundImage()].find(
    (image) => !docker("image", "inspect", image).ok && !docker("pull", image).ok,
  );
  return missing && `it needs the image ${missing}, which is not here and cannot be pulled`;
}

export interface RealSandboxes {
  /** The Worker that serves the objects at `/projects/<id>/…`. */
  url: string;
  close(): Promise<void>;
}

/**
 * The objects in workerd over containers of this machine, or the given Worker. Not `wrangler dev`: it asks a registry for
 * images that are here, and builds with a part of Docker that not every machine has.
 */
export async function startRealSandboxes(): Promise<RealSandboxes> {
  if (GIVEN_URL) return { url: GIVEN_URL, close: async () => {} };
  await buildWorkspaceServer(path.join(SANDBOX, "build/workspace-server.mjs"));
  const built = docker("build", "--tag", IMAGE, SANDBOX);
  if (!built.ok) throw new Error(`The image was not built: ${built.output}`);
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      containerEngine: docker("context", "inspect", "--format", "{{.Endpoints.docker.Host}}").output,
      workers: [
        {
          name: "sandboxes",
          modules: [
            {
              type: "ESModule",
              path: "worker.js",
              contents: await bundle(path.join(import.meta.dirname, "objects.ts")),
            },
          ],
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
          // The SDK notes each start of a container, among the results of the tests.
          bindings: { ...SETTINGS, TEST_TOKEN: "local", SANDBOX_LOG_LEVEL: "error" },
          durableObjects: {
            PROJECT_SANDBOX: {
              className: "ProjectSandbox",
              useSQLite: true,
              container: { imageName: IMAGE },
            },
          },
        },
      ],
    }),
  );
  return { url: `${String(await worker.ready)}local`, close: () => worker.dispose() };
}

/** The image that ours is made from. */
function baseImage(): string {
  return /^FROM (\S+)$/mu.exec(readFileSync(path.join(SANDBOX, "Dockerfile"), "utf8"))?.[1] ?? "";
}

/** The image of the proxy that workerd starts beside each container. */
function outboundImage(): string {
  const source = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");
  const usual = /"(cloudflare\/proxy-everything:[^"]+)"/u.exec(source)?.[1];
  return process.env["MINIFLARE_CONTAINER_EGRESS_IMAGE"] ?? usual ?? "";
}

function docker(...args: string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync("docker", args, { encoding: "utf8" });
  return { ok: status === 0, output: (status === 0 ? stdout : stderr).trim() };
}
