/** The Worker with the `sandbox` runtime. A separate entry, so that other builds do not include the SDK. */
export * from "./worker.ts";
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export { default } from "./worker.ts";
export { ProjectSandbox } from "#durable-objects/project-sandbox/index.ts";
