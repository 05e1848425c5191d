import { Route, Switch } from "wouter-preact";
import { NewServer } from "./new-server.tsx";
import { ServerList } from "./server-list.tsx";
import { ServerPage } from "./server-page.tsx";
import { StdioServers } from "./stdio-servers.tsx";

/** MCP servers whose tools agents use: their list, a form for a new one, and each with its tools. */
export function McpServersPage() {
  return (
    <Switch>
      <Route path="/mcp-servers/new">
        <NewServer />
      </Route>
      <Route path="/mcp-servers/stdio">
        <StdioServers />
      </Route>
      <Route path="/mcp-servers/:server">
        {({ server }) => <ServerPage key={server} server={server ?? ""} />}
      </Route>
      <Route>
        <ServerList />
      </Route>
    </Switch>
  );
}
