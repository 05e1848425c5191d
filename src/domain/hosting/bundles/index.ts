export { buildProject, type BuildInput } from "./build-project.ts";
export { checkBuild } from "./check-build.ts";
export { checkEnv, withoutOwnNames } from "./check-env.ts";
export { bundlesOf } from "./manifest.ts";
export { leftOutLine } from "./secret-names.ts";
export { openBundle } from "./open-bundle.ts";
export { storeSourceArchive } from "./source-archive.ts";
export { storeBundle, type BundleDeps, type BundleInput } from "./store-bundle.ts";
export { deleteBundle, sweepBundles } from "./sweep-bundles.ts";
