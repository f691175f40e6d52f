/** One team per line: abbreviation, then the name with its alias between bars. */
export const teamNames: Readonly<Record<string, string>> = {
  nba: `
atl Atlanta |Hawks|
bos Boston |Celtics|
bkn Brooklyn |Nets|
cha Charlotte |Hornets|
chi Chicago |Bulls|
cle Cleveland |Cavaliers|
dal Dallas |Mavericks|
den Denver |Nuggets|
det Detroit |Pistons|
gsw Golden State |Warriors|
hou Houston |Rockets|
ind Indiana |Pacers|
lac Los Angeles |Clippers|
lal Los Angeles |Lakers|
mem Memphis |Grizzlies|
mia Miami |Heat|
mil Milwaukee |Bucks|
min Minnesota |Timberwolves|
nop New Orleans |Pelicans|
nyk New York |Knicks|
okc Oklahoma City |Thunder|
orl Orlando |Magic|
phi Philadelphia |76ers|
phx Phoenix |Suns|
por Portland |Trail Blazers|
sac Sacramento |Kings|
sas San Antonio |Spurs|
tor Toronto |Raptors|
uta Utah |Jazz|
was Washington |Wizards|`,
  nfl: `
ari Arizona |Cardinals|
atl Atlanta |Falcons|
bal Baltimore |Ravens|
buf Buffalo |Bills|
car Carolina |Panthers|
chi Chicago |Bears|
cin Cincinnati |Bengals|
cle Cleveland |Browns|
dal Dallas |Cowboys|
den Denver |Broncos|
det Detroit |Lions|
gb Green Bay |Packers|
hou Houston |Texans|
ind Indianapolis |Colts|
jax Jacksonville |Jaguars|
kc Kansas City |Chiefs|
lv Las Vegas |Raiders|
mia Miami |Dolphins|
min Minnesota |Vikings|
ne New England |Patriots|
no New Orleans |Saints|
nyg New York |Giants|
nyj New York |Jets|
phi Philadelphia |Eagles|
pit Pittsburgh |Steelers|
sea Seattle |Seahawks|
sf San Francisco |49ers|
tb Tampa Bay |Buccaneers|
ten Tennessee |Titans|
was Washington |Commanders|`,
  mlb: `
az Arizona |Diamondbacks|
atl Atlanta |Braves|
bal Baltimore |Orioles|
bos Boston |Red Sox|
chc Chicago |Cubs|
cws Chicago |White Sox|
cin Cincinnati |Reds|
cle Cleveland |Guardians|
col Colorado |Rockies|
det Detroit |Tigers|
hou Houston |Astros|
kc Kansas City |Royals|
laa Los Angeles |Angels|
lad Los Angeles |Dodgers|
mia Miami |Marlins|
mil Milwaukee |Brewers|
min Minnesota |Twins|
nym New York |Mets|
nyy New York |Yankees|
phi Philadelphia |Phillies|
pit Pittsburgh |Pirates|
sd San Diego |Padres|
sea Seattle |Mariners|
sf San Francisco |Giants|
stl St. Louis |Cardinals|
tb Tampa Bay |Rays|
tex Texas |Rangers|
tor Toronto |Blue Jays|`,
  nhl: `
ana Anaheim |Ducks|
bos Boston |Bruins|
buf Buffalo |Sabres|
car Carolina |Hurricanes|
cgy Calgary |Flames|
chi Chicago |Blackhawks|
col Colorado |Avalanche|
dal Dallas |Stars|
det Detroit |Red Wings|
edm Edmonton |Oilers|
fla Florida |Panthers|
la Los Angeles |Kings|
min Minnesota |Wild|
mon Montreal |Canadiens|
nsh Nashville |Predators|
nj New Jersey |Devils|
nyi New York |Islanders|
nyr New York |Rangers|
ott Ottawa |Senators|
phi Philadelphia |Flyers|
pit Pittsburgh |Penguins|
sea Seattle |Kraken|
sj San Jose |Sharks|
stl St. Louis |Blues|
tb Tampa Bay |Lightning|
tor Toronto |Maple Leafs|
van Vancouver |Canucks|
vgk Vegas |Golden Knights|`,
  epl: `
ars |Arsenal| FC
avl |Aston Villa| FC
bou AFC |Bournemouth|
bre |Brentford| FC
bha |Brighton| & Hove Albion FC
bur |Burnley| FC
che |Chelsea| FC
cry |Crystal Palace| FC
eve |Everton| FC
ful |Fulham| FC
lee |Leeds United| FC
liv |Liverpool| FC
mci |Manchester City| FC
mun |Manchester United| FC
new |Newcastle| United FC
nfo |Nottingham Forest| FC
sun |Sunderland| AFC
tot |Tottenham| Hotspur FC
whu |West Ham| United FC
wol |Wolverhampton| Wanderers FC`,
  lal: `
ala Deportivo |Alavés|
atb |Athletic Bilbao|
atm |Atlético Madrid|
bar FC |Barcelona|
bet Real |Betis| Balompié
cel RC |Celta| de Vigo
elc |Elche| CF
esp RCD |Espanyol|
get |Getafe| CF
gir |Girona| FC
lev |Levante| UD
mal RCD |Mallorca|
osa CA |Osasuna|
ray |Rayo Vallecano|
rea |Real Madrid| CF
ovi Real |Oviedo|
rso |Real Sociedad|
sev |Sevilla| FC
val |Valencia| CF
vil |Villarreal| CF`,
  ucl: `
aja AFC |Ajax|
ars |Arsenal| FC
ata |Atalanta| BC
bar FC |Barcelona|
bay |Bayern| München
ben SL |Benfica|
bru |Club Brugge| KV
bvb |Borussia Dortmund|
che |Chelsea| FC
cop FC |Copenhagen|
gal |Galatasaray| SK
int |Inter| Milano
juv |Juventus| FC
lev |Bayer Leverkusen|
liv |Liverpool| FC
mar |Olympique Marseille|
mci |Manchester City| FC
nap SSC |Napoli|
psg |Paris Saint-Germain| FC
psv |PSV| Eindhoven
rea |Real Madrid| CF
sla |Slavia Praha|
spo |Sporting| CP
tot |Tottenham| Hotspur FC`,
  mls: `
atl |Atlanta United| FC
atx |Austin| FC
chi |Chicago Fire| FC
cin FC |Cincinnati|
clb |Columbus Crew|
col |Colorado Rapids|
dal FC |Dallas|
hou |Houston Dynamo| FC
lag |LA Galaxy|
laf |Los Angeles FC|
mia |Inter Miami| CF
min |Minnesota United| FC
nsh |Nashville| SC
nyc |New York City| FC
orl |Orlando City| SC
phi |Philadelphia Union|
por |Portland Timbers|
sea |Seattle Sounders| FC
skc |Sporting Kansas City|
tor |Toronto| FC`,
  atp: `
aldenb Bastian |Aldenberg|
arrieta Iker |Arrieta|
belcour Mathis |Belcour|
brankov Stefan |Brankov|
calloway Reid |Calloway|
cerrutt Dario |Cerrutti|
dahlstr Nils |Dahlström|
devriem Joost |De Vriem|
esteban Lautaro |Estebanez|
farnwor Elliot |Farnworth|
gorecki Piotr |Górecki|
haruno Shota |Haruno|
ilievsk Damjan |Ilievski|
jarvela Otso |Järvelä|
kovarik Radim |Kovařík|
lindqui Casper |Lindquist|
moreau Théo |Moreaux|
nakashi Rento |Nakashiro|
okonjo Tobi |Okonjo|
petrenk Danylo |Petrenkov|
quintan Mateus |Quintanilha|
rosenth Jakob |Rosenthaler|
sorokin Timur |Sorokov|
tavares Nuno |Tavarede|`,
  cs2: `
astr |Astral Five|
bltz |Blitzkern|
crwn |Crown Esports|
drft |Drift Gaming|
ecl |Eclipse|
fenr |Fenrir|
ghst |Ghostline|
hydr |Hydra Team|
ironw |Ironwolves|
kngs |Kings of Clay|
lumen |Lumen|
mrdn |Meridian|
nova |Novaforge|
orbit |Orbit|
pulse |Pulsewave|
raven |Ravenport|
strm |Stormveil|
vrtx |Vertex Union|`,
}
