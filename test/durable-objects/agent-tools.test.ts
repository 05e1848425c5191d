import { agentToolsContract } from "../contracts/agent-tools/index.ts";
import { openProject } from "./support/open-project.ts";

agentToolsContract("the project's object", async () => openProject());
