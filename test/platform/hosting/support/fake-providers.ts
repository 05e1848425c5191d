import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { FakeProvider } from "./fake-server.ts";
import { json } from "./fake-server.ts";

const Named = z.object({ name: z.string() });
const Variable = z.object({ key: z.string(), values: z.array(z.object({ value: z.string() })) });
const Manifest = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string() })) });
const Wanted = z.object({
  spec: z.object({
    name: z.string(),
    static_sites: z.array(z.object({ envs: z.array(z.object({ key: z.string(), value: z.string() })) })),
  }),
});

/** What a fake provider holds, for the tests to look at. */
export interface FakeState {
  /** Names of sites by id. */
  sites: Map<string, string>;
  deployments: { id: string; site: string; key: string; files: Record<string, string> }[];
  /** Contents by digest. */
  contents: Map<string, string>;
  uploads: string[];
  env: Record<string, unknown>;
}

export const newState = (): FakeState => ({
  sites: new Map(),
  deployments: [],
  contents: new Map(),
  uploads: [],
  env: {},
});

const sha1 = (content: Buffer) => createHash("sha1").update(content).digest("hex");
const byName = (state: FakeState, name: string) =>
  [...state.sites].find(([id, each]) => each === name || id === name);
const idIn = (path: string, pattern: RegExp) => decodeURIComponent(pattern.exec(path)?.[1] ?? "");

export function fakeVercel(state: FakeState): FakeProvider {
  return (request) => {
    const { method, path, query, body } = request;
    if (path === "/v2/user") return { status: 200, json: { user: { id: "user_1", username: "ada" } } };
    if (path === "/v9/projects") return { status: 200, json: { projects: [] } };
    if (path === "/v11/projects") {
      const { name } = json(request, Named);
      if (byName(state, name))
        return { status: 409, json: { error: { code: "conflict", message: "exists" } } };
      state.sites.set(`prj_${name}`, name);
      return { status: 200, json: { id: `prj_${name}`, name } };
    }
    if (path.startsWith("/v9/projects/")) {
      const found = byName(state, idIn(path, /^\/v9\/projects\/(.*)$/u));
      if (!found) return { status: 404, json: { error: { code: "not_found", message: "gone" } } };
      if (method === "DELETE") return state.sites.delete(found[0]) ? { status: 204 } : { status: 404 };
      return { status: 200, json: { id: found[0], name: found[1] } };
    }
    if (/^\/v10\/projects\/.*\/env$/u.test(path)) {
      for (const { key, value } of json(request, z.array(z.object({ key: z.string(), value: z.string() }))))
        state.env[key] = value;
      return { status: 201, json: { created: [], failed: [] } };
    }
    if (path === "/v6/deployments") {
      const key = query.get("meta-workspaceDeployment");
      const found = state.deployments.filter((each) => each.key === key);
      return { status: 200, json: { deployments: found.map(({ id }) => ({ uid: id })) } };
    }
    if (path === "/v2/files") {
      const digest = sha1(body);
      if (request.headers["x-vercel-digest"] !== digest) return { status: 400 };
      state.contents.set(digest, body.toString("utf8"));
      state.uploads.push(digest);
      return { status: 200, json: {} };
    }
    if (path === "/v13/deployments") {
      const wanted = json(
        request,
        z.object({
          project: z.string(),
          files: z.array(z.object({ file: z.string(), sha: z.string() })),
          meta: z.record(z.string(), z.string()),
        }),
      );
      const missing = [...new Set(wanted.files.map(({ sha }) => sha))].filter(
        (sha) => !state.contents.has(sha),
      );
      if (missing.length > 0)
        return { status: 400, json: { error: { code: "missing_files", message: "m", missing } } };
      const id = `dpl_${state.deployments.length}`;
      const files = Object.fromEntries(
        wanted.files.map(({ file, sha }) => [file, state.contents.get(sha) ?? ""]),
      );
      state.deployments.push({
        id,
        site: wanted.project,
        key: wanted.meta["workspaceDeployment"] ?? "",
        files,
      });
      return { status: 200, json: { id } };
    }
    const deployment = state.deployments.find(({ id }) => path.includes(id));
    if (!deployment) return { status: 404 };
    if (path.endsWith("/events"))
      return { status: 200, json: [{ type: "stdout", text: "built\nin a moment" }] };
    if (path.endsWith("/cancel")) return { status: 400, json: { error: { message: "it is over" } } };
    const name = state.sites.get(deployment.site) ?? "";
    const alias = [`${name}-git-main-ada.localhost`, `${name}.localhost`];
    return { status: 200, json: { readyState: "READY", alias, aliasAssigned: 1 } };
  };
}

export function fakeNetlify(state: FakeState): FakeProvider {
  const required = new Map<string, { digests: string[]; paths: Record<string, string> }>();
  const deployOf = (id: string) => {
    const deployment = state.deployments.find((each) => each.id === id);
    const wanted = required.get(id);
    if (!deployment || !wanted) return undefined;
    const isWhole = wanted.digests.every((digest) => state.contents.has(digest));
    for (const [path, digest] of Object.entries(wanted.paths)) {
      deployment.files[path.slice(1)] = state.contents.get(digest) ?? "";
    }
    return {
      id,
      title: deployment.key,
      state: isWhole ? "ready" : "uploading",
      required: wanted.digests,
      ssl_url: `https://${state.sites.get(deployment.site)}.localhost`,
    };
  };
  return (request) => {
    const { method, path, query, body } = request;
    const sites = [...state.sites].map(([id, name]) => ({ id, name, account_slug: "adas", ssl_url: null }));
    if (path === "/user")
      return { status: 200, json: { id: "user_1", full_name: "Ada", email: "a@example.com" } };
    if (path === "/sites" && method === "GET") {
      return { status: 200, json: sites.filter(({ name }) => name.includes(query.get("name") ?? "")) };
    }
    if (path === "/sites") {
      const { name } = json(request, Named);
      if (byName(state, name)) return { status: 422, json: { errors: { subdomain: ["must be unique"] } } };
      state.sites.set(`site_${name}`, name);
      return { status: 201, json: { id: `site_${name}`, name } };
    }
    if (path === "/accounts/adas/env") {
      if (method === "GET")
        return { status: 200, json: Object.keys(state.env).map((key) => ({ key, values: [] })) };
      for (const { key, values } of json(request, z.array(Variable))) {
        state.env[key] = values[0]?.value;
      }
      return { status: 201, json: [] };
    }
    if (path.startsWith("/accounts/adas/env/")) {
      const { key, values } = json(request, Variable);
      state.env[key] = values[0]?.value;
      return { status: 200, json: {} };
    }
    if (/^\/sites\/[^/]+\/deploys$/u.test(path)) {
      const site = idIn(path, /^\/sites\/([^/]+)\//u);
      const own = state.deployments.filter((each) => each.site === site);
      if (method === "GET") return { status: 200, json: own.map(({ id }) => deployOf(id)) };
      const id = `deploy_${state.deployments.length}`;
      const { files } = json(request, z.object({ files: z.record(z.string(), z.string()) }));
      state.deployments.push({ id, site, key: query.get("title") ?? "", files: {} });
      const digests = [...new Set(Object.values(files))].filter((digest) => !state.contents.has(digest));
      required.set(id, { digests, paths: files });
      return { status: 200, json: deployOf(id) };
    }
    if (/^\/sites\/[^/]+$/u.test(path)) {
      const site = sites.find(({ id }) => id === idIn(path, /^\/sites\/(.*)$/u));
      if (!site) return { status: 404 };
      if (method === "DELETE") return state.sites.delete(site.id) ? { status: 204 } : { status: 404 };
      return { status: 200, json: site };
    }
    const id = idIn(path, /^\/deploys\/([^/]+)/u);
    if (path.includes("/files/")) {
      state.contents.set(sha1(body), body.toString("utf8"));
      state.uploads.push(sha1(body));
      deployOf(id);
      return { status: 200, json: {} };
    }
    if (path.endsWith("/cancel")) return { status: 422, json: { message: "it is over" } };
    const found = deployOf(id);
    return found ? { status: 200, json: found } : { status: 404 };
  };
}

const ok = (result: unknown) => ({ status: 200, json: { success: true, result, errors: [] } });

export function fakeCloudflare(state: FakeState): FakeProvider {
  const missing = {
    status: 404,
    json: { success: false, errors: [{ code: 10007, message: "no such script" }] },
  };
  let manifest: Record<string, { hash: string }> = {};
  const absent = () => [
    ...new Set(
      Object.values(manifest)
        .map(({ hash }) => hash)
        .filter((hash) => !state.contents.has(hash)),
    ),
  ];
  return async (request) => {
    const { method, headers, body } = request;
    const path = request.path.replace(/^\/accounts\/[^/]+\/workers/u, "");
    if (path === "/subdomain") return ok({ subdomain: "ada" });
    if (path === "/scripts") return ok([...state.sites.keys()].map((id) => ({ id })));
    const form = () =>
      new Response(new Uint8Array(body), {
        headers: { "content-type": headers["content-type"] ?? "" },
      }).formData();
    if (path.endsWith("/assets-upload-session")) {
      ({ manifest } = json(request, Manifest));
      const wanted = absent();
      const buckets = [];
      for (let at = 0; at < wanted.length; at += 5) buckets.push(wanted.slice(at, at + 5));
      return ok({ jwt: wanted.length === 0 ? "complete" : "session", buckets });
    }
    if (path === "/assets/upload") {
      if (headers.authorization !== "Bearer session" || headers["transfer-encoding"] === "chunked")
        return { status: 400 };
      for (const [hash, content] of await form()) {
        const text = Buffer.from(typeof content === "string" ? content : await content.text(), "base64");
        state.contents.set(hash, text.toString("utf8"));
        state.uploads.push(hash);
      }
      return ok({ jwt: absent().length === 0 ? "complete" : null });
    }
    const name = idIn(path, /^\/scripts\/([^/]+)/u);
    if (path.endsWith("/subdomain")) return ok({ enabled: true });
    if (method === "PUT") {
      const part = (await form()).get("metadata");
      const metadata: { assets: { jwt: string }; bindings?: { name: string; text?: string }[] } = JSON.parse(
        part === null || typeof part === "string" ? (part ?? "") : await part.text(),
      );
      if (metadata.assets.jwt !== "complete") return { status: 400 };
      for (const binding of metadata.bindings ?? []) state.env[binding.name] = binding.text;
      state.sites.set(name, name);
      const files = Object.fromEntries(
        Object.entries(manifest).map(([file, { hash }]) => [file.slice(1), state.contents.get(hash) ?? ""]),
      );
      state.deployments = state.deployments.filter(({ site }) => site !== name);
      state.deployments.push({ id: `d_${name}`, site: name, key: "", files });
      return ok({ deployment_id: `d_${name}` });
    }
    if (method === "DELETE") return state.sites.delete(name) ? ok(null) : missing;
    return missing;
  };
}

const app = (id: string, name: string) => ({ id, name, web_url: `https://${name}.localhost/` });

export function fakeHeroku(state: FakeState, origin: () => string): FakeProvider {
  const build = (each: FakeState["deployments"][number]) => ({
    id: each.id,
    status: "succeeded",
    output_stream_url: `${origin()}/heroku/_logs`,
    source_blob: { version: each.key },
  });
  const blobs = new Map<string, Buffer>();
  return (request) => {
    const { method, path, headers, body } = request;
    if (path === "/account")
      return { status: 200, json: { id: "account_1", email: "a@example.com", name: "Ada" } };
    if (path === "/_logs") return { status: 200, json: "a line of the build" };
    if (path.startsWith("/_blobs/")) {
      // As S3: a request with a type, a credential or without a length does not fit the signature.
      const fits =
        !headers["content-type"] &&
        !headers.authorization &&
        headers["content-length"] === String(body.length);
      if (fits) blobs.set(path, body);
      return { status: fits ? 200 : 403 };
    }
    if (path === "/apps") {
      const { name } = json(request, Named);
      if (byName(state, name))
        return { status: 422, json: { id: "invalid_params", message: `Name ${name} is already taken` } };
      state.sites.set(`app_${name}`, name);
      return { status: 201, json: app(`app_${name}`, name) };
    }
    const found = byName(state, idIn(path, /^\/apps\/([^/]+)/u));
    if (path.startsWith("/apps/of-another"))
      return { status: 403, json: { id: "forbidden", message: "no access" } };
    if (!found) return { status: 404, json: { id: "not_found", message: "Couldn't find that app." } };
    const [id, name] = found;
    if (path.endsWith("/config-vars")) {
      Object.assign(state.env, json(request, z.record(z.string(), z.string())));
      return { status: 200, json: {} };
    }
    if (path.endsWith("/sources")) {
      const url = `${origin()}/heroku/_blobs/${blobs.size}`;
      return { status: 201, json: { source_blob: { get_url: url, put_url: url } } };
    }
    if (path.endsWith("/builds")) {
      const own = state.deployments.filter(({ site }) => site === id);
      if (method === "GET") return { status: 206, json: own.map(build) };
      const { source_blob } = json(
        request,
        z.object({ source_blob: z.object({ url: z.string(), version: z.string() }) }),
      );
      const blob = blobs.get(new URL(source_blob.url).pathname.replace("/heroku", ""));
      if (!blob) return { status: 422, json: { message: "no source" } };
      const files = JSON.parse(gunzipSync(blob).toString("utf8"));
      state.deployments.push({
        id: `build_${state.deployments.length}`,
        site: id,
        key: source_blob.version,
        files,
      });
      const made = state.deployments.at(-1);
      return made && { status: 201, json: build(made) };
    }
    if (path.includes("/builds/")) {
      const made = state.deployments.find((each) => path.endsWith(each.id));
      if (method === "DELETE") return { status: 422, json: { message: "it is over" } };
      return made ? { status: 200, json: build(made) } : { status: 404 };
    }
    if (method === "DELETE")
      return state.sites.delete(id) ? { status: 200, json: app(id, name) } : { status: 404 };
    return { status: 200, json: app(id, name) };
  };
}

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export function fakeDigitalOcean(state: FakeState): FakeProvider {
  let made = 0;
  const deploy = (site: string) => {
    made += 1;
    state.deployments.unshift({ id: guid(made + 1000), site, key: "", files: { "index.html": "from git" } });
    return { id: guid(made + 1000), phase: "ACTIVE" };
  };
  return (request) => {
    const { method, path } = request;
    const hosted = (id: string) => ({
      id,
      spec: { name: state.sites.get(id) },
      live_url: `https://${state.sites.get(id)}.localhost`,
    });
    if (path === "/v2/account")
      return { status: 200, json: { account: { uuid: "u", team: { uuid: "t", name: "Ada's" } } } };
    if (path === "/v2/apps" && method === "GET") {
      return { status: 200, json: { apps: [...state.sites.keys()].map(hosted) } };
    }
    if (path === "/v2/apps") {
      const { spec } = json(request, Wanted);
      if (byName(state, spec.name)) return { status: 409, json: { message: "exists" } };
      const id = guid(state.sites.size);
      state.sites.set(id, spec.name);
      for (const { key, value } of spec.static_sites[0]?.envs ?? []) state.env[key] = value;
      deploy(id);
      return { status: 200, json: { app: hosted(id) } };
    }
    const id = idIn(path, /^\/v2\/apps\/([^/]+)/u);
    if (!state.sites.has(id)) return { status: 404, json: { message: "no such app" } };
    const own = state.deployments.filter(({ site }) => site === id);
    if (path.endsWith("/rollback")) return { status: 200, json: { deployment: deploy(id) } };
    if (path.endsWith("/deployments") && method === "POST")
      return { status: 200, json: { deployment: deploy(id) } };
    if (path.endsWith("/deployments")) return { status: 200, json: { deployments: own.slice(0, 1) } };
    if (path.endsWith("/cancel")) return { status: 400, json: { message: "it is over" } };
    if (path.endsWith("/logs")) return { status: 400, json: { message: "not yet" } };
    if (path.includes("/deployments/")) {
      const found = own.find((each) => path.endsWith(each.id));
      return found
        ? { status: 200, json: { deployment: { id: found.id, phase: "ACTIVE" } } }
        : { status: 404 };
    }
    if (method === "DELETE") return state.sites.delete(id) ? { status: 200, json: { id } } : { status: 404 };
    if (method === "PUT") {
      for (const { key, value } of json(request, Wanted).spec.static_sites[0]?.envs ?? [])
        state.env[key] = value;
      deploy(id);
    }
    return { status: 200, json: { app: hosted(id) } };
  };
}
