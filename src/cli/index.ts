// The `panel` command: its subcommands, options and help. The code of a subcommand is in a file beside this one, loaded when it runs.
import { resolve } from 'node:path';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { panelVersion } from '../adapters/installation.ts';
import { IMPORT_SOURCES } from '../contract/imports/document.ts';
import { reportFailure } from './terminal.ts';

/** Commands and options whose `--data` is another folder than the service's. */
const OTHER_FOLDERS =
  /^(?:serve|node|install|uninstall|try-database|--demo|--version|-V|--help|-h|help|--data(?:=.*)?)$/;
const OUTPUT_LOST = 1;
const WRONG_ARGUMENTS = 2;
const MAX_DEMO_USERS = 1_000_000;

function parseInteger(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

const dataOption = () =>
  new Option('--data <folder>', "the data folder (default: $GATEHOUSE_DATA or the system's place for it)");
/** Option of every command that may need a secret. */
const keyFileOption = () =>
  new Option(
    '--key-file <path>',
    'the file with the key of the secrets, on machines without a keychain; `serve` makes it, outside the data folder',
  )
    .env('GATEHOUSE_KEY_FILE')
    .argParser((path) => (path === '' ? undefined : resolve(path)));
const jsonOption = () => new Option('--json', 'answer in JSON, for scripts');

const program = new Command('panel')
  .description('Gatehouse: one panel for proxy nodes, users and subscriptions.')
  .version(panelVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print help')
  .helpCommand('help [command]', 'print help for a command')
  .showHelpAfterError('(`panel help` lists the commands)')
  .exitOverride()
  .addHelpText(
    'after',
    `
All commands but \`serve\` work while the panel runs and while it does not. Passwords are asked for at the
terminal, or read from the first line of stdin; they are never arguments.

Exit codes: 0 done, 1 a defect, 2 wrong arguments, 3 refused, 4 the data folder cannot be used, 5 another
panel is using it, 6 the database cannot be used, 7 the address cannot be listened on.`,
  );

program
  .command('serve')
  .description('run the panel until Ctrl-C or SIGTERM')
  .option(
    '--host <address>',
    'the address to listen on; 0.0.0.0 for all (default: as set in the panel, at first 127.0.0.1)',
  )
  .option(
    '--port <port>',
    'the port; 0 for any free one (default: as set, at first 8443 or the next free one)',
    parseInteger(0, 65_535),
  )
  .addOption(dataOption())
  .addOption(keyFileOption())
  .option('--no-key-file', 'on a server without a keychain: make no key file, and store no secrets')
  .option('--http', 'plain HTTP, behind a reverse proxy on this machine; only with a loopback --host')
  .option('--public-url <url>', 'how it is reached from outside, as https://panel.example.org, behind a reverse proxy')
  .option('--trusted-proxy <address...>', 'proxies whose X-Forwarded-For tells the client: addresses or CIDR ranges')
  .option(
    '--rate-limit <requests>',
    'requests a minute per key; 0 for no limit (default: as set, at first 1200)',
    parseInteger(0, 1_000_000),
  )
  .addOption(
    new Option('--demo [users]', 'a data folder of its own, filled with made-up users')
      .preset('1000')
      .argParser(parseInteger(1, MAX_DEMO_USERS)),
  )
  .action(async (options) => (await import('./serve.ts')).serve(options));

program
  .command('setup')
  .description('make the administrator: a one-time link, or with --name here in the terminal')
  .option('--name <name>', 'make the administrator of this name now; the password is asked for')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (options) => (await import('./administrator.ts')).setup(options));

const key = program.command('key').description('API keys');
key
  .command('add')
  .description('make a key and print it, once; asks for the password of the administrator')
  .requiredOption('--name <name>', 'what the key is for')
  .addOption(new Option('--access <access>', 'what it may do').choices(['read', 'full']).makeOptionMandatory())
  .addOption(new Option('--expires <days>', 'when it ends').choices(['never', '30', '90', '365']).default('never'))
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (options) => (await import('./key.ts')).keyAdd(options));
key
  .command('list')
  .description('list the keys')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (options) => (await import('./key.ts')).keyList(options));
key
  .command('revoke')
  .description('revoke a key: it is refused from the next request on')
  .argument('<id>', 'its number in `panel key list`', parseInteger(1, Number.MAX_SAFE_INTEGER))
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (id, options) => (await import('./key.ts')).keyRevoke(id, options));

program
  .command('reset-password')
  .description('set a new password; revokes all API keys, ends all sessions and removes your Telegram accounts')
  .option('--disable-2fa', 'turn the second factor off, for who lost both phone and recovery codes')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (options) => (await import('./administrator.ts')).resetPassword(options));

program
  .command('url')
  .description('print the address of the panel, base_url and the CA file')
  .addArgument(new Argument('[name]', 'print this one alone').choices(['panel_url', 'base_url', 'ca_file']))
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (name, options) => (await import('./url.ts')).url(name, options));

program
  .command('rotate-path')
  .description('give the panel a new secret path at once; the former addresses of panel and API lead nowhere')
  .addOption(dataOption())
  .addOption(jsonOption())
  .action(async (options) => (await import('./url.ts')).rotatePath(options));

const secretsOption = () =>
  new Option(
    '--secrets <file>',
    'file with lines as S3_ACCESS_KEY_ID=, S3_SECRET_ACCESS_KEY=, SFTP_PASSWORD=, SFTP_PRIVATE_KEY_FILE=, BACKUP_PASSPHRASE=; - for stdin',
  );
const privateOption = () => new Option('--allow-private', 'the place may be in the local network, and without TLS');
const PLACE =
  'the name that the panel has for it, a folder, s3://bucket/prefix?endpoint=https://…&region=…, or sftp://user@host/folder?host-key=SHA256:…';
const passphraseOption = () => new Option('--passphrase-stdin', 'read the passphrase from the first line of stdin');
program
  .command('backup')
  .description('make a backup and print where it is; with a passphrase the secrets are in it too')
  .option('--out <file>', "put it there instead of the data folder's backups")
  .option('--to <place>', `move it to a place outside of this machine: ${PLACE}`)
  .option(
    '--keep <count>',
    "at the place, delete this panel's own backups beyond so many of the newest (default: none)",
    parseInteger(1, 10_000),
  )
  .option('--clear', 'with --to: without a passphrase, so that who reads the place reads all links')
  .addOption(secretsOption())
  .addOption(privateOption())
  .addOption(passphraseOption())
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (options) => (await import('./backup.ts')).backup(options));

program
  .command('promote')
  .description('make a panel active again whose data were restored elsewhere; the other one becomes read-only')
  .option('--take-back', 'required: that this is meant')
  .option('-y, --yes', 'ask nothing')
  .addOption(dataOption())
  .action(async (options) => (await import('./promote.ts')).promote(options));

program
  .command('restore')
  .description('replace the present data by a backup; they are stored as a backup first')
  .argument('[file]', 'the backup; with --from its name there, or latest')
  .option('--from <place>', `read it from a place, and list the backups there without a name: ${PLACE}`)
  .addOption(secretsOption())
  .addOption(privateOption())
  .option('--check', 'only report whether it can be restored; nothing is changed')
  .option(
    '--accept-keys',
    'leave API keys valid that this panel does not know, also where the backup may have been changed',
  )
  .option('-y, --yes', 'ask nothing, also where the backup may have been changed')
  .addOption(passphraseOption())
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (file, options) => (await import('./backup.ts')).restore(file, options));

program
  .command('import')
  .description('users and connections of another panel or of an export: shown first, imported after a confirmation')
  .argument(
    '<file...>',
    'its database, backup or answers of its API; for Marzban and Marzneshin also xray_config.json and .env',
  )
  .addOption(new Option('--source <name>', 'which panel it is of (default: found out)').choices(IMPORT_SOURCES))
  .option(
    '--node <id>',
    'the node for its connections (default: the only one, or that of this machine)',
    parseInteger(1, Number.MAX_SAFE_INTEGER),
  )
  .option('--check', 'only report what would be imported; nothing is changed')
  .option('-y, --yes', 'ask nothing')
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (files, options) => (await import('./import.ts')).importFiles(files, options));
program
  .command('export')
  .description('write users, connections and plans into one file that any panel can read')
  .argument('<file>', 'a new file, which only its owner can read')
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (file, options) => (await import('./import.ts')).exportFile(file, options));

program
  .command('doctor')
  .description('look for what is wrong with the panel and say what to do; exit code 1 if there is a problem')
  .option('--confirm-time', 'confirm the clock of this machine first: the panel follows it and does what has waited')
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (options) => (await import('./doctor.ts')).doctor(options));

program
  .command('update')
  .description('install the newest version beside the present one; the former starts again where it does not come up')
  .option('--check', 'only look for a newer version and print what is new')
  .option('--file <archive>', 'install this archive, whose signature <archive>.minisig is beside it, without a network')
  .option('--rollback', 'go back to the version before the last update')
  .option('--restore-data', 'with --rollback: also where that needs the data of before the update')
  .option('--wait <seconds>', 'how long the new version may take to come up', parseInteger(5, 3600), 60)
  .addOption(dataOption())
  .addOption(jsonOption())
  .addOption(keyFileOption())
  .action(async (options) => (await import('./update.ts')).update(options));

program
  .command('install')
  .description(
    'install the panel as a service of this machine (Linux with systemd); again: finish it, or another version',
  )
  .option('--domain <name>', 'its public name, which leads to this machine: a certificate is ordered, on port 443')
  .option('--email <address>', "with --domain: where the certificate's authority may write to")
  .option('--directory <url>', "with --domain: the authority's ACME directory (default: Let's Encrypt)")
  .option('--http', 'plain HTTP on loopback, behind a reverse proxy of this machine; with --public-url')
  .option('--public-url <url>', 'how it is reached from outside, as https://panel.example.org')
  .option('-y, --yes', "ask nothing; with --domain, agree to the authority's terms of service")
  .action(async (options) => (await import('./install.ts')).install(options));
program
  .command('uninstall')
  .description('remove the service; its data and its key file stay')
  .option('--purge', 'remove them too')
  .option('-y, --yes', 'ask nothing')
  .action(async (options) => (await import('./install.ts')).uninstall(options));

const engine = program
  .command('engine')
  .description("the engine (Xray or v2ray) of the panel's own machine, for local nodes");
const engineFileOption = () =>
  new Option('--file <archive>', "a ZIP archive of the engine's project, instead of a download");
const engineHashOption = () =>
  new Option('--sha256 <hash>', 'the SHA-256 of the archive, where this release of Gatehouse does not name it');
engine
  .command('install')
  .description('put an engine beside the one that is used, and change nothing else')
  .argument('[version]', 'as in 26.3.27 (default: the newest that this release of Gatehouse names)')
  .addOption(engineFileOption())
  .addOption(engineHashOption())
  .addOption(dataOption())
  .action(async (version, options) => (await import('./node.ts')).engineInstall(version, options, false));
engine
  .command('update')
  .description(
    'install an engine and use it: the local nodes start again with it, and with the one before where one does not come up',
  )
  .argument('[version]', 'as in 26.3.27 (default: the newest that this release of Gatehouse names)')
  .addOption(engineFileOption())
  .addOption(engineHashOption())
  .addOption(dataOption())
  .action(async (version, options) => (await import('./node.ts')).engineInstall(version, options, true));
engine
  .command('rollback')
  .description('use the engine again that was used before')
  .addOption(dataOption())
  .action(async (options) => (await import('./node.ts')).engineRollback(options));

const node = program.command('node').description("a node's machine, which another machine's panel manages");
const nodeDataOption = () =>
  new Option('--data <folder>', "the folder (default: $GATEHOUSE_NODE_DATA or the system's place for it)");
const nodeHostOption = () => new Option('--host <address>', 'the address to listen on (default: all)');
const engineOption = () =>
  new Option('--engine <path>', "the engine's program (default: $GATEHOUSE_ENGINE, or xray or v2ray on PATH)").env(
    'GATEHOUSE_ENGINE',
  );
node
  .command('join')
  .description('join this machine to the panel that made the token')
  .option('--token-file <file>', 'file with the token; left out: stdin, or typed at a terminal')
  .addOption(nodeHostOption())
  .addOption(nodeDataOption())
  // A token given as an argument is refused with the reason.
  .allowExcessArguments()
  .action(async (options, { args }) => (await import('./node.ts')).nodeJoin(options, args));
node
  .command('run')
  .description('serve the panel until Ctrl-C or SIGTERM; the engine goes on')
  .addOption(nodeHostOption())
  .addOption(engineOption())
  .addOption(nodeDataOption())
  .action(async (options) => (await import('./node.ts')).nodeRun(options));
node
  .command('leave')
  .description('stop the engine and forget the panel, which cannot reach this machine any more')
  .addOption(nodeDataOption())
  .action(async (options) => (await import('./node.ts')).nodeLeave(options));
node
  .command('doctor')
  .description('look for what is wrong with this machine as a node; exit code 1 if there is a problem')
  .addOption(engineOption())
  .addOption(nodeDataOption())
  .addOption(jsonOption())
  .action(async (options) => (await import('./node.ts')).nodeDoctor(options));

node
  .command('install')
  .description('have systemd run `panel node run`, as an account of its own that may do nothing else; for root')
  .addOption(nodeHostOption())
  .addOption(engineOption())
  .option('--dry-run', 'print the unit and change nothing')
  .action(async (options) => (await import('./node.ts')).nodeInstall(options));
const nodeEngine = node.command('engine').description('the engine (Xray or v2ray) of this machine');
nodeEngine
  .command('install')
  .description('put an engine beside the one that is used, and change nothing else')
  .argument('[version]', 'as in 26.3.27 (default: the newest that this release of Gatehouse names)')
  .addOption(engineFileOption())
  .addOption(engineHashOption())
  .addOption(nodeDataOption())
  .action(async (version, options) => (await import('./node.ts')).nodeEngineInstall(version, options, false));
nodeEngine
  .command('update')
  .description(
    'install an engine and use it: it is tried with the present configuration, watched for a minute, and taken back if it ends',
  )
  .argument('[version]', 'as in 26.3.27 (default: the newest that this release of Gatehouse names)')
  .addOption(engineFileOption())
  .addOption(engineHashOption())
  .addOption(nodeDataOption())
  .action(async (version, options) => (await import('./node.ts')).nodeEngineInstall(version, options, true));
nodeEngine
  .command('rollback')
  .description('use the engine again that was used before')
  .addOption(nodeDataOption())
  .action(async (options) => (await import('./node.ts')).nodeEngineRollback(options));
const nodeLinks = node
  .command('links')
  .description(
    "links of users from this machine, also while the panel is away: what the panel's last contact has left here",
  );
nodeLinks
  .command('on')
  .description('serve links over HTTPS, or give another certificate to what serves them')
  .option('--certificate <file>', "the server's certificate and what signed it, PEM")
  .option('--key <file>', 'its private key, PEM')
  .option('--acme <name...>', 'in their place: order certificates for these names, and renew them')
  .option('--agree-to-terms', "the authority's terms of service were read and are agreed to")
  .option('--email <address>', 'where the authority may write to')
  .option('--directory <url>', "the authority's ACME directory (default: Let's Encrypt)")
  .addOption(
    new Option('--challenge <kind>', 'how control of the names is shown: to port 80 or to port 443')
      .choices(['http-01', 'tls-alpn-01'])
      .default('http-01'),
  )
  .addOption(
    new Option('--http-port <port>', 'where http-01 is answered; port 80 of the names must lead there')
      .argParser(parseInteger(1, 65_535))
      .default(80),
  )
  .addOption(new Option('--port <port>', 'the port').argParser(parseInteger(1, 65_535)).default(443))
  .addOption(nodeHostOption())
  .addOption(nodeDataOption())
  .action(async (options) => (await import('./node.ts')).nodeLinksOn(options));
nodeLinks
  .command('off')
  .description('serve no links')
  .addOption(nodeDataOption())
  .action(async (options) => (await import('./node.ts')).nodeLinksOff(options));
node
  .command('uninstall')
  .description('take that service away; the folder and an engine that runs stay')
  .action(async () => (await import('./node.ts')).nodeUninstall());

// The former version asks this of the version that it installs; releases rely on it.
program
  .command('try-database <copy>', { hidden: true })
  .action(async (copy) => (await import('./update.ts')).tryOn(copy));

program
  .command('openapi')
  .description("print the OpenAPI document with this panel's address")
  .option('--out <file>', 'write it to a file')
  .addOption(dataOption())
  .action(async (options) => (await import('./url.ts')).openapi(options));

// Every file that the panel creates is readable by its owner only.
process.umask(0o077);
// A reader that has closed the pipe, as `head` does, or a full disk must not end the process. Only the full disk counts as a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode ||= OUTPUT_LOST;
  });
}
const isOther = process.argv.slice(2).some((word) => OTHER_FOLDERS.test(word));
if (process.getuid?.() === 0 && !process.env.GATEHOUSE_DATA && !isOther) {
  const { actForService } = await import('../panel/install.ts');
  actForService();
}
try {
  // Explicit, because commander skips a different number of arguments in an Electron application.
  await program.parseAsync(process.argv, { from: 'node' });
} catch (error) {
  // Commander has already printed the argument errors.
  process.exitCode =
    error instanceof CommanderError ? (error.exitCode === 0 ? 0 : WRONG_ARGUMENTS) : reportFailure(error);
}
