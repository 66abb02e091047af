// What the panel's own server says without its pages, in Russian.
import type { server as english } from '../../en/host/server.ts';
import type { Russian } from '../russian.ts';

export const server: Russian<typeof english> = {
  notBuilt: `Страницы этой панели не собраны.
Выполните \`npm run build:pages\` в папке с её исходным кодом и запустите панель снова.
До тех пор работает командная строка: \`{{command}} setup\` создаёт администратора, \`{{command}} key add\` — ключ API.
`,
};
