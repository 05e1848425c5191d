import type { Endpoint } from "#src/http/endpoint.ts";
import { addBranch, listBranches, postSwitch, putSwitch } from "./branches.ts";
import { cloneNow, getClone, startClone } from "./clone.ts";
import { commit, commitAndPushAll } from "./commit.ts";
import { pull, push } from "./exchange.ts";
import { diff, listCommits } from "./history.ts";
import { init } from "./init.ts";
import { disconnect, info, repoInfo, tree } from "./repository.ts";
import { stage } from "./stage.ts";
import { status } from "./status.ts";

export const gitEndpoints: readonly Endpoint[] = [
  startClone,
  cloneNow,
  getClone,
  commitAndPushAll,
  init,
  status,
  stage,
  commit,
  push,
  pull,
  listCommits,
  diff,
  listBranches,
  addBranch,
  putSwitch,
  postSwitch,
  info,
  disconnect,
  tree,
  repoInfo,
];
