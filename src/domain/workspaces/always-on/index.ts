export { endAlwaysOn, makeAlwaysOn, readDeployLimits } from "./always-on.ts";
