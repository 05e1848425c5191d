/** The objects on an account: `npx wrangler deploy test/sandbox/support/worker.ts --config wrangler.sandbox.toml`. */
export * from "#src/worker-sandbox.ts";
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export { default } from "./objects.ts";
