import { agentToolsContract, gitToolsContract } from "../contracts/agent-tools.ts";
import { openProject } from "./support/open-project.ts";

agentToolsContract("the project's object", async () => openProject());
gitToolsContract(async () => openProject());
