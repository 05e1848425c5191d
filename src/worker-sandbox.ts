/** The Worker with the `sandbox` runtime: an entry of its own, so that others do not carry the SDK. */
export * from "./worker.ts";
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export { default } from "./worker.ts";
export { ProjectSandbox } from "#durable-objects/project-sandbox/index.ts";
