// What the desktop shell shows, in Russian.
import type { desktop as english } from '../../en/host/desktop.ts';
import type { Russian } from '../russian.ts';

export const desktop: Russian<typeof english> = {
  open: 'Открыть Gatehouse',
  quit: 'Завершить Gatehouse',
  edit: 'Правка',
  view: 'Вид',
  window: 'Окно',
  help: 'Справка',
  file: 'Файл',
  closeWindow: 'Закрыть окно',
  undo: 'Отменить',
  redo: 'Повторить',
  cut: 'Вырезать',
  copy: 'Копировать',
  paste: 'Вставить',
  selectAll: 'Выделить всё',
  reload: 'Обновить окно',
  actualSize: 'Обычный размер',
  zoomIn: 'Крупнее',
  zoomOut: 'Мельче',
  fullScreen: 'На весь экран',
  minimize: 'Свернуть',
  settings: 'Настройки',
  apiDocs: 'Документация API',
  openDataFolder: 'Открыть папку с данными',
  about: 'О программе Gatehouse',

  serving: 'Работает: {{address}}',
  stopped: 'Панель не запущена',
  online: 'Пользователей в сети: {{count}}',
  today: 'Трафик за сегодня: {{amount}}',
  copyBaseUrl: 'Скопировать base_url',
  pauseApi: 'Приостановить API',
  paused: 'API приостановлен, ссылки работают',

  closedToTray: 'Gatehouse продолжает работать',
  closedToTrayDetail:
    'Окно закрыто, но панель по-прежнему отвечает на запросы API и отдаёт подписки. Вернуть окно можно значком в области уведомлений, а если её нет — запустив Gatehouse ещё раз. Это поведение меняется в настройках, в разделе «Этот компьютер».',
  keepServing: 'Пусть работает',

  portTaken: 'Порт занят',
  anotherPort: 'Взять другой порт на этот раз',
  anotherPortDetail:
    'В адресах, которые знают боты и пользователи, остаётся прежний порт. Изменить его можно в настройках, в разделе «Адреса».',
  tryAgain: 'Ещё раз',
  cannotStart: 'Gatehouse не может запуститься',

  rendererGone: 'Окно перестало работать',
  rendererGoneDetail: 'Панель продолжает работать, потеряно только то, что вводилось в этот момент. ({{reason}})',
  unresponsive: 'Окно не отвечает',
  unresponsiveDetail: 'Панель продолжает работать. Подождите или загрузите окно заново.',
  reloadNow: 'Загрузить заново',
  wait: 'Подождать',

  crashed: 'В прошлый раз Gatehouse завершился с ошибкой',
  crashedDetail: 'Это было {{at}}: {{message}}. Всё подтверждённое сохранено. Подробности в журнале: {{log}}',
  ok: 'Понятно',

  reopened: 'Панель пришлось запустить заново',
  reopenedDetail: 'Она перестала отвечать и открыта ещё раз: {{reason}}',
  notReopened: 'Панель остановилась',

  nodeDown: 'Узел {{name}} не отвечает',
  nodeUp: 'Узел {{name}} снова отвечает',
  userLimited: '{{name}}: трафик исчерпан',
  webhookDisabled: 'Вебхук отключён',
  backupFailed: 'Резервная копия не создана',
  openIt: 'Нажмите, чтобы открыть.',

  checkForUpdates: 'Проверить обновления…',
  updateFound: 'Вышла версия Gatehouse {{version}}',
  updateFoundDetail: 'Она загрузится в фоне, панель продолжит работать. Когда её установить, решаете вы.',
  downloadUpdate: 'Загрузить',
  skipVersion: 'Пропустить эту версию',
  notNow: 'Не сейчас',
  updateReady: 'Gatehouse {{version}} готов к установке',
  updateReadyDetail:
    'Для установки панель остановится на время перезапуска. Начатые запросы будут выполнены, ничего не потеряется.',
  restartNow: 'Перезапустить',
  whenQuitting: 'При выходе',
  newestVersion: 'Это последняя версия',
  newestVersionDetail: 'Gatehouse проверяет обновления раз в день и спрашивает, прежде чем что-либо загрузить.',
  updateFailed: 'Не удалось узнать, есть ли новая версия',
  updateFailedDetail: 'На работу панели это не влияет. Попробуйте позже. ({{reason}})',
};
